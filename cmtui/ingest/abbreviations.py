"""Word lists of the sentence splitter, in lower case and without the last full stop, but for STARTERS.

Own lists, drawn up from the usual abbreviations of style guides: titles, citations, units, Latin, months.
"""

from __future__ import annotations

from cmtui.ingest.words import words

#: A full stop after these never ends a sentence: a name, title or reference follows.
ALWAYS = words(
    """
    mr mrs ms messrs mmes dr drs prof profs rev revd hon st ste sr sra fr gen maj capt cpt cmdr lt sgt adm
    gov sen rep pres supt det insp
    e.g i.e eg ie cf viz vs resp approx ca c.f q.v s.v esp incl ibid op cit loc
    eds ed trans transl vols repr
    jan feb mar apr jun jul aug sept sep oct nov dec
    mt dept univ assn
    """
)

#: A full stop after these does not end a sentence when a number or a bracket follows.
BEFORE_NUMBER = words(
    """
    no nos nr p pp pg pgs fig figs eq eqs eqn eqns sec secs sect ch chap chaps vol art arts par para paras
    n nn fn l ll app tab tbl ref refs col cols vv bk pt pts ver ex exs thm def lem prop cor b d fl r rr mss
    § §§
    """
)

#: A full stop after these ends a sentence only when a word that opens sentences follows.
SOMETIMES = words(
    """
    etc al jr esq inc ltd co corp bros llc plc ave blvd rd bldg v
    a.m p.m b.c a.d bce ce u.s u.k u.n e.u d.c ph.d m.d b.a m.a b.sc m.sc d.phil
    hr hrs ft lb lbs oz kg km cm mm
    """
)

#: Capitalised words that open sentences far more often than they follow an abbreviation as a name.
STARTERS = words(
    """
    The A An This That These Those It He She We They You I Its His Her Their Our My Your There Here
    In On At By For From With Without Within During After Before Since Until Under Over Between Among
    As When While Where Whereas Although Though Because If Unless Once Whether However Moreover Furthermore
    Therefore Thus Hence Nevertheless Nonetheless Meanwhile Finally First Second Third Next Then Also And But
    Or Nor So Yet Not No None All Both Each Every Some Many Most Few Several Such Another Other One Two Three
    To What Who Why How Which Is Are Was Were Do Does Did Can Could Will Would Should May Might Must Let
    Instead Indeed Perhaps Only Even Still Now Today Later Soon Again Given Despite Through Throughout
    """
)
