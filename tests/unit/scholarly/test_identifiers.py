"""DOIs and ISBNs in every form people paste them, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cmtui.scholarly.identifiers import doi_path, doi_url, normalise_doi, normalise_isbn

SICI = "10.1002/(sici)1097-4571(1999)50:1<1::aid-asi1>3.0.co;2-#"


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1000/182", "10.1000/182"),
        ("10.1023/A:1010933404324", "10.1023/a:1010933404324"),
        (" doi:10.1000/182 ", "10.1000/182"),
        ("DOI: 10.1000/182", "10.1000/182"),
        ("urn:doi:10.1000/182", "10.1000/182"),
        ("info:doi/10.1000/182", "10.1000/182"),
        ("https://doi.org/10.1000/182", "10.1000/182"),
        ("http://dx.doi.org/10.1000/182", "10.1000/182"),
        ("https://www.doi.org/10.1000/182", "10.1000/182"),
        ("doi.org/10.1000/182", "10.1000/182"),
        ("https://doi.org/10.1000/182?utm_source=x", "10.1000/182"),
        ("https://doi.org/10.1000%2F182", "10.1000/182"),
        ("10.1000%2F182", "10.1000/182"),
        ("10.1000/a%2Fb", "10.1000/a%2fb"),
        ("https://onlinelibrary.wiley.com/doi/abs/10.1002/jor.1100150407", "10.1002/jor.1100150407"),
        ("https://dl.acm.org/doi/pdf/10.1145/3027385.3027428?download=true", "10.1145/3027385.3027428"),
        ("https://www.science.org/doi/10.1126/science.169.3946.635", "10.1126/science.169.3946.635"),
        ("10.1000/182.", "10.1000/182"),
        ("(10.1000/182)", None),
        ("10.1000/182).", "10.1000/182"),
        ("10.1016/0378-4274(84)90025-6", "10.1016/0378-4274(84)90025-6"),
        ("10.1000/182;", "10.1000/182"),
        ("“10.1000/182”", "10.1000/182"),
        ("<https://doi.org/10.1000/182>", "10.1000/182"),
        ("10.1000/1\u200b82", "10.1000/182"),
        (SICI.upper(), SICI),
        ("https://doi.org/10.1002/%28SICI%291097-4571%281999%2950:1%3C1::AID-ASI1%3E3.0.CO;2-%23", SICI),
        ("10.21326/ksdt.2008..18.018", "10.21326/ksdt.2008..18.018"),
        ("10.1000.10/123", "10.1000.10/123"),
        ("10/bfrhmx", None),
        ("10. 1016/j.cell.2020", None),
        ("10.1016/j.cell 2020", None),
        ("https://arxiv.org/abs/2006.11477", None),
        ("https://example.org/10.1000/182", None),
        ("http://[broken", None),
        ("hdl:10.1000/182", None),
        ("", None),
    ],
)
def test_one_form_of_a_doi(text: str, doi: str | None) -> None:
    assert normalise_doi(text) == doi


@given(st.text(max_size=60) | st.text(st.sampled_from("10./()<>%2Fdoi: https#?"), max_size=40))
def test_any_text_is_a_doi_or_none(text: str) -> None:
    doi = normalise_doi(text)
    if doi is not None:
        assert normalise_doi(doi) == doi
        assert doi == doi.lower()
        assert not any(character.isspace() for character in doi)


@given(st.from_regex(r"10\.\d{4,9}/[a-z0-9()<>;:#?%._-]{0,20}[a-z0-9]", fullmatch=True))
def test_the_address_of_a_doi_leads_back_to_it(doi: str) -> None:
    known = normalise_doi(doi)
    assert known is not None
    assert normalise_doi(doi_url(known)) == known


def test_only_the_first_slash_of_a_path_is_one() -> None:
    assert doi_path("10.1000/a/b?c#d e") == "10.1000/a%2Fb%3Fc%23d%20e"
    assert doi_path("10.1000/../x") == "10.1000/..%2Fx"


@pytest.mark.parametrize(
    ("text", "isbn"),
    [
        ("978-3-16-148410-0", "9783161484100"),
        ("ISBN 978 3 16 148410 0", "9783161484100"),
        ("urn:isbn:9783161484100", "9783161484100"),
        ("0-8044-2957-X", "9780804429573"),
        ("080442957x", "9780804429573"),
        ("9783161484101", None),
        ("0804429578", None),
        ("12345", None),
        ("9773161484100", None),
        ("", None),
    ],
)
def test_an_isbn_has_its_check_digit(text: str, isbn: str | None) -> None:
    assert normalise_isbn(text) == isbn
