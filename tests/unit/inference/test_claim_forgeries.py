"""Forged claims are never supported by the passage that holds the original (R88, peers 1b, settlements 6)."""

import random

import pytest

from cmtui.inference import LocalInferenceBackend
from cmtui.model.claim import Relation
from cmtui.model.retrieval import PassageProjection

SENTENCES = """
The committee found that the drug would not improve outcomes in adults over sixty.
The new lighthouse at Cape Ferrow was finished in March 2019 after four years of work.
Although the winter had been mild, the river froze twice in February 1891.
The harbour master recorded 214 ships that year, of which nineteen flew a foreign flag.
Copper conducts heat better than iron, and it resists corrosion in dry air.
The expedition, which had left Bergen in June, reached the northern camp on 3 August 1907.
No member of the council voted against the second proposal.
The patients who received the higher dose slept longer than those who received the placebo.
Because the cable had been laid too close to the reef, it broke three times in 1866.
The old mill burned down in 1912 and was never rebuilt.
Sea otters eat urchins, crabs and clams, and they sleep wrapped in kelp.
The library holds 48,000 volumes, but only a tenth of them are in English.
In the first trial, mice that lacked the gene gained 12 % more weight than their littermates.
The treaty did not mention the eastern islands, and neither side raised them later.
Light from the nearest star takes more than four years to reach the Earth.
The glacier retreated by 41 metres between 1950 and 1990.
When the temperature falls below 4 degrees, the density of water decreases again.
The composer wrote the last movement in eleven days while he was recovering from a fever.
Bees that had visited the blue feeder returned to it more often than chance would predict.
The school opened in September 1874 with 62 pupils and two teachers.
Neither the captain nor the pilot had seen the second buoy before the collision.
The vaccine was stored at minus twenty degrees and shipped in insulated boxes.
Most of the letters were destroyed by the family after the trial of 1832.
The plant closes its leaves at night, which reduces the loss of water.
The engineers replaced the wooden piles with steel ones before the spring flood.
Roughly half of the respondents had never used the ferry.
The bishop sold the estate to a merchant from Lübeck for 900 marks.
The membrane is permeable to potassium but not to sodium at this voltage.
Her first novel was rejected by six publishers before a small press in Leeds accepted it.
The tower stands 96 metres tall and leans slightly toward the river.
The fungus spreads through the roots of neighbouring trees during wet summers.
The court dismissed the appeal because the notice had not been served in time.
The canal links the two lakes and carries about 3,000 barges a year.
The astronomers detected a faint companion 0.4 arcseconds south of the primary star.
Iron oxide gives the cliffs their red colour.
The museum returned the bronze mask to its owners in 2004.
The children measured the rainfall every morning for sixteen weeks.
The senate passed the bill by 51 votes to 47.
The sample contained traces of arsenic, lead and cadmium, but no mercury.
The last steam train left the valley on 30 April 1965.
The bacteria produce an enzyme that breaks down cellulose.
The garrison surrendered after a siege of nine weeks.
A second eruption covered the fields with ash and closed the only road to the coast.
The editor removed two paragraphs from the preface without telling the author.
The cooperative paid its members 14 cents per litre in 1938.
The heart of a hummingbird beats more than a thousand times a minute.
The dam supplies water to five towns and power to one.
The manuscript lacks its first four leaves and ends in the middle of a sentence.
The price of wheat doubled between the harvest of 1845 and the following spring.
The survey ship mapped 1,200 kilometres of sea floor in five weeks.
The mayor refused to sign the contract that his predecessor had negotiated.
The alloy melts at 183 degrees and solidifies without shrinking.
Young salmon stay in the stream for two years before they swim to the sea.
The inspectors closed the northern shaft after they had found methane in the lower gallery.
The dictionary was compiled by a schoolmaster who had never left the county.
The telescope cannot resolve the inner ring of the disc.
The village lost a third of its people in the epidemic of 1666.
The railway company bought the ferry in 1889 and raised the fares.
The crystal splits into thin plates along one plane.
The painter mixed chalk into the ground to make the surface brighter.
The jury awarded the prize to a young architect from Porto.
The valley receives less than 200 millimetres of rain a year.
The birds leave the island in late August and winter along the coast of Ghana.
The first bridge was built of oak and stood for 130 years.
""".strip().split("\n")
WORDS = ["drug", "council", "winter", "copper", "seven", "ninety", "closed", "improved", "slowly", "iron"]
TWINS = {"a": "а", "e": "е", "o": "о", "fi": "ﬁ", "é": "é", " ": " ", "i": "ı", "s ": "s\u200b ", "'": "’"}
_NEGATORS = ("not", "no", "never", "neither", "nor", "without", "none", "cannot")


def _negation(rng, words, _other):
    found = [i for i, w in enumerate(words) if w.lower() in _NEGATORS]
    if found:
        at = rng.choice(found)
        return words[:at] + words[at + 1 :]
    at = rng.randrange(1, len(words))
    return [*words[:at], rng.choice(("not", "never")), *words[at:]]


def _number(rng, words, _other):
    digits = [i for i, w in enumerate(words) if any(c.isdigit() for c in w)]
    if not digits:
        return None
    at = rng.choice(digits)
    place = rng.choice([i for i, c in enumerate(words[at]) if c.isdigit()])
    digit = str((int(words[at][place]) + rng.randint(1, 9)) % 10)
    return [*words[:at], words[at][:place] + digit + words[at][place + 1 :], *words[at + 1 :]]


def _swap(rng, words, _other):
    at, new = rng.randrange(len(words)), rng.choice(WORDS)
    return None if words[at].lower().strip(",") == new else [*words[:at], new, *words[at + 1 :]]


def _order(rng, words, _other):
    one, two = sorted(rng.sample(range(len(words)), 2))
    changed = list(words)
    changed[one], changed[two] = changed[two], changed[one]
    same = [w.lower() for w in changed] == [w.lower() for w in words]
    return None if same else changed


def _stitched(rng, words, other):
    cut, join = rng.randrange(2, len(words) - 1), rng.randrange(1, len(other) - 2)
    return words[:cut] + other[join:]


def _twin(rng, words, _other):
    text = " ".join(words)
    options = [key for key in TWINS if key in text]
    key = rng.choice(options)
    return text.replace(key, TWINS[key], 1).split(" ")


FORGERS = {
    "negation": _negation,
    "number": _number,
    "swap": _swap,
    "order": _order,
    "stitched": _stitched,
    "twin": _twin,
}


@pytest.mark.parametrize("kind", FORGERS)
def test_r88_no_forged_claim_is_supported_by_the_original(kind):
    rng = random.Random(f"claims:{kind}")
    backend = LocalInferenceBackend()
    made = 0
    for index, sentence in enumerate(SENTENCES):
        other = SENTENCES[(index + rng.randrange(1, len(SENTENCES))) % len(SENTENCES)]
        passage = PassageProjection("p", f"{SENTENCES[index - 1]} {sentence} {other}")
        for _ in range(6):
            words = FORGERS[kind](rng, sentence.rstrip(".").split(" "), other.rstrip(".").split(" "))
            claim = None if words is None else " ".join(words)
            if claim is None or claim.lower() in passage.text.lower():
                continue
            made += 1
            answer = backend.assess(claim, [passage])[0]
            assert answer.relation is not Relation.SUPPORTS, (claim, answer)
    assert made >= 100, made


def test_the_untouched_sentence_is_supported_and_quoted_whole():
    backend = LocalInferenceBackend()
    found = 0
    for sentence in SENTENCES:
        passage = PassageProjection("p", f"{sentence} The rest of the page is about something else.")
        answer = backend.assess(f"Find evidence that {sentence}", [passage])[0]
        if answer.relation is Relation.SUPPORTS:
            assert answer.proposals[0].quote == sentence
            found += 1
    assert found >= 0.95 * len(SENTENCES), f"{found} of {len(SENTENCES)}"


def test_r88_the_five_attacks_of_the_nearest_peer():
    """Peers 1b: negation removed, year or number changed, shuffled, unrelated; and the original."""
    source = (
        "The committee found in March 2019 that the drug would not improve outcomes in adults over sixty."
    )
    attacks = [
        source.replace("not ", ""),
        source.replace("2019", "2018"),
        source.replace("sixty", "seventy"),
        "Outcomes over adults not the sixty would committee drug that improve in the 2019 found in March.",
        "The lighthouse was painted white.",
    ]
    backend = LocalInferenceBackend()
    passage = PassageProjection("p", source)
    for attack in attacks:
        assert backend.assess(attack, [passage])[0].relation is not Relation.SUPPORTS, attack
    assert backend.assess(source, [passage])[0].relation is Relation.SUPPORTS
