"""Types and forms that the golden cases lack, read by eye against the manuals and fixed here (R106)."""

from __future__ import annotations

import pytest

from cmtui.bibliography.service import Formatter

FORMATTER = Formatter()
ITEMS: dict[str, dict] = {
    "magazine": {
        "type": "article-magazine",
        "title": "the harbour at night",
        "author": [{"family": "Roe", "given": "Jane Q."}],
        "container-title": "The Weekly Tide",
        "issued": {"date-parts": [[2023, 9, 5]]},
        "page": "30-35",
    },
    "post": {
        "type": "post",
        "title": "Why tides matter",
        "author": [{"family": "Chen", "given": "Li-Wei"}],
        "container-title": "Mastodon",
        "issued": {"date-parts": [[2024, 6, 1]]},
        "URL": "https://m.example/1",
    },
    "dataset": {
        "type": "dataset",
        "title": "Tide gauges of Skerrow",
        "author": [{"literal": "Skerrow Harbour Board"}],
        "publisher": "Zenodo",
        "issued": {"date-parts": [[2022]]},
        "DOI": "10.5281/zenodo.1",
        "version": "2.1",
    },
    "proceedings": {
        "type": "paper-conference",
        "title": "Measuring tides by eye",
        "author": [{"family": "Devlin", "given": "Jacob"}, {"family": "Chang", "given": "Ming-Wei"}],
        "editor": [{"family": "Burstein", "given": "Jill"}],
        "container-title": "Proceedings of the tide congress",
        "publisher": "Sea Press",
        "publisher-place": "Oslo",
        "page": "171-186",
        "issued": {"date-parts": [[2019]]},
    },
    "chapter without author": {
        "type": "chapter",
        "title": "An unsigned chapter",
        "container-title": "A book of the sea",
        "editor": [{"family": "Roe", "given": "Jane"}],
        "edition": "3",
        "volume": "2",
        "page": "12-14",
        "publisher": "Sea Press",
        "issued": {"date-parts": [[2001]]},
    },
    "software": {
        "type": "software",
        "title": "Tide table",
        "author": [{"family": "Roe", "given": "Jane"}],
        "version": "1.2",
        "publisher": "GitHub",
        "issued": {"date-parts": [[2021]]},
        "URL": "https://x.example/t",
    },
    "preprint": {
        "type": "article",
        "title": "Tides are all you need",
        "author": [{"family": "Roe", "given": "Jane"}],
        "publisher": "arXiv",
        "number": "1706.00001",
        "issued": {"date-parts": [[2017, 6, 12]]},
        "URL": "https://arxiv.example/1",
    },
    "edited volume of an author": {
        "type": "book",
        "title": "Works",
        "author": [{"family": "Ay", "given": "Bea"}],
        "editor": [{"family": "Roe", "given": "Jane"}],
        "volume": "3",
        "publisher": "Sea Press",
        "issued": {"date-parts": [[1999]]},
    },
}
#: Markdown, so that italics are seen.
REFERENCES: dict[str, dict[str, str]] = {
    "magazine": {
        "mla": "Roe, Jane Q. “The Harbour at Night.” *The Weekly Tide*, 5 Sept. 2023, pp. 30–35.",
        "apa": "Roe, J. Q. (2023, September 5). the harbour at night. *The Weekly Tide*, 30–35.",
        "chicago": "Roe, Jane Q. 2023. “The Harbour at Night.” *The Weekly Tide*, September 5.",
        "chicago-notes": "Roe, Jane Q. “The Harbour at Night.” *The Weekly Tide*, September 5, 2023.",
        "ieee": "\\[1\\] J. Q. Roe, “the harbour at night,” *The Weekly Tide*, pp. 30–35, Sep. 05, 2023.",
    },
    "post": {
        "mla": "Chen, Li-Wei. “Why Tides Matter.” *Mastodon*, 1 June 2024, https://m.example/1.",
        "apa": "Chen, L.-W. (2024, June 1). *Why tides matter* \\[Post\\]. Mastodon. https://m.example/1",
        "chicago": "Chen, Li-Wei. 2024. “Why Tides Matter.” Mastodon, June 1. https://m.example/1.",
        "chicago-notes": "Chen, Li-Wei. “Why Tides Matter.” Mastodon, June 1, 2024. https://m.example/1.",
        "ieee": "\\[1\\] L.-W. Chen, “Why tides matter,” Mastodon, Jun. 01, 2024. \\[Online\\]. "
        "Available: https://m.example/1",
    },
    "dataset": {
        "mla": "Skerrow Harbour Board. “Tide Gauges of Skerrow.” Version 2.1, Zenodo, 2022, "
        "https://doi.org/10.5281/zenodo.1.",
        "apa": "Skerrow Harbour Board. (2022). *Tide gauges of Skerrow* (Version 2.1) \\[Data "
        "set\\]. Zenodo. https://doi.org/10.5281/zenodo.1",
        "chicago": "Skerrow Harbour Board. 2022. “Tide Gauges of Skerrow.” Version 2.1. "
        "Zenodo. https://doi.org/10.5281/zenodo.1.",
        "chicago-notes": "Skerrow Harbour Board. “Tide Gauges of Skerrow.” Version 2.1. "
        "Zenodo, 2022. https://doi.org/10.5281/zenodo.1.",
        "ieee": "\\[1\\] Skerrow Harbour Board, “Tide gauges of Skerrow,” version 2.1, "
        "Zenodo, 2022, doi: 10.5281/zenodo.1.",
    },
    "proceedings": {
        "mla": "Devlin, Jacob, and Ming-Wei Chang. “Measuring Tides by Eye.” *Proceedings "
        "of the Tide Congress*, edited by Jill Burstein, Sea Press, 2019, pp. "
        "171–86.",
        "apa": "Devlin, J., & Chang, M.-W. (2019). Measuring tides by eye. In J. Burstein "
        "(Ed.), *Proceedings of the tide congress* (pp. 171–186). Sea Press.",
        "chicago": "Devlin, Jacob, and Ming-Wei Chang. 2019. “Measuring Tides by Eye.” In "
        "*Proceedings of the Tide Congress*, edited by Jill Burstein. Sea "
        "Press.",
        "chicago-notes": "Devlin, Jacob, and Ming-Wei Chang. “Measuring Tides by Eye.” In "
        "*Proceedings of the Tide Congress*, edited by Jill Burstein. "
        "Sea Press, 2019.",
        "ieee": "\\[1\\] J. Devlin and M.-W. Chang, “Measuring tides by eye,” in "
        "*Proceedings of the tide congress*, J. Burstein, Ed., Oslo: Sea Press, "
        "2019, pp. 171–186.",
    },
    "chapter without author": {
        "mla": "“An Unsigned Chapter.” *A Book of the Sea*, edited by Jane "
        "Roe, 3rd ed., vol. 2, Sea Press, 2001, pp. 12–14.",
        "apa": "An unsigned chapter. (2001). In J. Roe (Ed.), *A book of the "
        "sea* (3rd ed., Vol. 2, pp. 12–14). Sea Press.",
        "chicago": "“An Unsigned Chapter.” 2001. In *A Book of the Sea*, 3rd "
        "ed., vol. 2, edited by Jane Roe. Sea Press.",
        "chicago-notes": "“An Unsigned Chapter.” In *A Book of the Sea*, 3rd "
        "ed., vol. 2, edited by Jane Roe. Sea Press, 2001.",
        "ieee": "\\[1\\] “An unsigned chapter,” in *A book of the sea*, 3rd "
        "ed., vol. 2, J. Roe, Ed., Sea Press, 2001, pp. 12–14.",
    },
    "software": {
        "mla": "Roe, Jane. *Tide Table*. Version 1.2, GitHub, 2021, https://x.example/t.",
        "apa": "Roe, J. (2021). *Tide table* (Version 1.2) \\[Computer software\\]. GitHub. "
        "https://x.example/t",
        "chicago": "Roe, Jane. 2021. *Tide Table*. Version 1.2. GitHub. https://x.example/t.",
        "chicago-notes": "Roe, Jane. *Tide Table*. Version 1.2. GitHub, 2021. https://x.example/t.",
        "ieee": "\\[1\\] J. Roe, *Tide table*, version 1.2. (2021). GitHub. \\[Online\\]. "
        "Available: https://x.example/t",
    },
    "preprint": {
        "mla": "Roe, Jane. “Tides Are All You Need.” arXiv, 12 June 2017, https://arxiv.example/1.",
        "apa": "Roe, J. (2017). *Tides are all you need* (arXiv:1706.00001). arXiv. https://arxiv.example/1",
        "chicago": "Roe, Jane. 2017. “Tides Are All You Need.” arXiv, June 12. https://arxiv.example/1.",
        "chicago-notes": "Roe, Jane. “Tides Are All You Need.” arXiv, June 12, 2017. "
        "https://arxiv.example/1.",
        "ieee": "\\[1\\] J. Roe, “Tides are all you need,” Jun. 2017, arXiv:1706.00001. "
        "\\[Online\\]. Available: https://arxiv.example/1",
    },
    "edited volume of an author": {
        "mla": "Ay, Bea. *Works*. Edited by Jane Roe, vol. 3, Sea Press, 1999.",
        "apa": "Ay, B. (1999). *Works* (J. Roe, Ed.; Vol. 3). Sea Press.",
        "chicago": "Ay, Bea. 1999. *Works*. Edited by Jane Roe. Vol. 3. Sea Press.",
        "chicago-notes": "Ay, Bea. *Works*. Edited by Jane Roe. Vol. 3. Sea Press, 1999.",
        "ieee": "\\[1\\] B. Ay, *Works*, vol. 3. Sea Press, 1999.",
    },
}
NOTES: dict[str, str] = {
    "magazine": "Jane Q. Roe, “The Harbour at Night,” *The Weekly Tide*, September 5, 2023, 12.",
    "post": "Li-Wei Chen, “Why Tides Matter,” Mastodon, June 1, 2024, 12, https://m.example/1.",
    "dataset": "Skerrow Harbour Board, “Tide Gauges of Skerrow,” version 2.1, Zenodo, 2022, 12, "
    "https://doi.org/10.5281/zenodo.1.",
    "proceedings": "Jacob Devlin and Ming-Wei Chang, “Measuring Tides by Eye,” in *Proceedings of the "
    "Tide Congress*, ed. Jill Burstein (Sea Press, 2019), 12.",
    "chapter without author": "“An Unsigned Chapter,” in *A Book of the Sea*, ed. Jane Roe, 3rd ed., "
    "vol. 2 (Sea Press, 2001), 12.",
    "software": "Jane Roe, *Tide Table*, version 1.2 (GitHub, 2021), 12, https://x.example/t.",
    "preprint": "Jane Roe, “Tides Are All You Need,” arXiv, June 12, 2017, 12, https://arxiv.example/1.",
    "edited volume of an author": "Bea Ay, *Works*, ed. Jane Roe, vol. 3 (Sea Press, 1999), 12.",
}


@pytest.mark.parametrize(
    ("kind", "style"), [(kind, style) for kind, styles in REFERENCES.items() for style in styles]
)
def test_references_of_further_types(kind: str, style: str) -> None:
    assert FORMATTER.format(ITEMS[kind], style=style, output="markdown").text == REFERENCES[kind][style]


@pytest.mark.parametrize("kind", NOTES)
def test_notes_of_further_types(kind: str) -> None:
    made = FORMATTER.format(
        ITEMS[kind], style="chicago-notes", form="footnote", locator="12", output="markdown"
    )
    assert made.text == NOTES[kind]
