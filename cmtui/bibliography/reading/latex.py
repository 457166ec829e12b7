"""LaTeX in a field value as plain text with the tags that CSL-JSON allows.

An own table and not a general converter, for three reasons: a value must survive writing and reading back
exactly, braces that keep capitals must become ``nocase`` where a style would change the letters, and a
command that is not known must stay visible instead of vanishing with its text.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

_ACCENTS = {
    "`": "\u0300", "'": "\u0301", "^": "\u0302", "~": "\u0303", "=": "\u0304", "u": "\u0306", ".": "\u0307",
    '"': "\u0308", "r": "\u030a", "H": "\u030b", "v": "\u030c", "d": "\u0323", "c": "\u0327", "k": "\u0328",
    "b": "\u0331", "t": "\u0361", "textcommabelow": "\u0326",
}  # fmt: skip
_SYMBOLS = {
    "ss": "ß", "SS": "ẞ", "o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ",
    "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð", "th": "þ", "TH": "Þ", "dj": "đ",
    "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
    "&": "&", "%": "%", "$": "$", "#": "#", "_": "_", "{": "{", "}": "}", " ": " ", "\\": " ", ",": " ",
    ";": " ", ":": " ", "!": "", "-": "", "/": "", "@": "", "(": "", ")": "", "*": "", "|": "|",
    "textbackslash": "\\", "backslash": "\\", "textasciitilde": "~", "textasciicircum": "^",
    "textbraceleft": "{", "textbraceright": "}", "lbrace": "{", "rbrace": "}", "textunderscore": "_",
    "textendash": "–", "textemdash": "—", "textquoteleft": "‘", "textquoteright": "’",
    "textquotedblleft": "“", "textquotedblright": "”", "textquotedbl": '"', "textquotesingle": "'",
    "lq": "‘", "rq": "’", "quotedblbase": "„", "glqq": "„", "grqq": "“", "guillemotleft": "«",
    "guillemotright": "»", "guillemetleft": "«", "guillemetright": "»", "flqq": "«", "frqq": "»",
    "textless": "<", "textgreater": ">", "textbar": "|", "textasteriskcentered": "*", "textbullet": "•",
    "ldots": "…", "dots": "…", "textellipsis": "…", "cdots": "⋯", "copyright": "©", "textcopyright": "©",
    "textregistered": "®", "texttrademark": "™", "S": "§", "P": "¶", "dag": "†", "ddag": "‡",
    "pounds": "£", "textsterling": "£", "euro": "€", "texteuro": "€", "textyen": "¥", "textcent": "¢",
    "textdegree": "°", "degree": "°", "textmu": "µ", "textordmasculine": "º", "textordfeminine": "ª",
    "textexclamdown": "¡", "textquestiondown": "¿", "LaTeX": "LaTeX", "TeX": "TeX", "BibTeX": "BibTeX",
    "slash": "/", "quad": " ", "qquad": " ", "space": " ", "nobreakspace": "\u00a0", "newline": " ",
    "linebreak": " ", "relax": "", "protect": "", "noopsort": "", "ignorespaces": "", "allowbreak": "",
    "bibrangedash": "–", "hyphen": "-", "autocap": "",
    # mathematics that stands in titles
    "times": "×", "cdot": "·", "pm": "±", "mp": "∓", "infty": "∞", "sim": "∼", "approx": "≈", "neq": "≠",
    "ne": "≠", "leq": "≤", "le": "≤", "geq": "≥", "ge": "≥", "ll": "≪", "gg": "≫", "to": "→",
    "rightarrow": "→", "leftarrow": "←", "leftrightarrow": "↔", "Rightarrow": "⇒", "in": "∈", "subset": "⊂",
    "cup": "∪", "cap": "∩", "forall": "∀", "exists": "∃", "partial": "∂", "nabla": "∇", "sqrt": "√",
    "sum": "∑", "prod": "∏", "int": "∫", "ell": "ℓ", "hbar": "ℏ", "prime": "′", "circ": "°", "star": "⋆",
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "zeta": "ζ",
    "eta": "η", "theta": "θ", "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "upsilon": "υ", "phi": "φ", "varphi": "φ", "chi": "χ",
    "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ", "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π",
    "Sigma": "Σ", "Upsilon": "Υ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
}  # fmt: skip
_SMALL_CAPS = ('<span style="font-variant: small-caps;">', "</span>")
_NO_CASE = ('<span class="nocase">', "</span>")
_ITALIC, _BOLD = ("<i>", "</i>"), ("<b>", "</b>")
#: Commands with one argument, and what stands around it.
_AROUND = {
    "textit": _ITALIC, "emph": _ITALIC, "textsl": _ITALIC, "mkbibemph": _ITALIC, "mkbibitalic": _ITALIC,
    "textbf": _BOLD, "mkbibbold": _BOLD, "textsc": _SMALL_CAPS,
    "textsuperscript": ("<sup>", "</sup>"), "mkbibsuperscript": ("<sup>", "</sup>"),
    "textsubscript": ("<sub>", "</sub>"), "mkbibsubscript": ("<sub>", "</sub>"),
    "enquote": ("“", "”"), "mkbibquote": ("“", "”"), "mkbibparens": ("(", ")"), "mkbibbrackets": ("[", "]"),
    "url": ("", ""), "path": ("", ""), "text": ("", ""), "textrm": ("", ""), "textsf": ("", ""),
    "texttt": ("", ""), "textnormal": ("", ""), "textup": ("", ""), "textmd": ("", ""), "mbox": ("", ""),
    "hbox": ("", ""), "underline": ("", ""), "uline": ("", ""), "ensuremath": ("", ""), "mathrm": ("", ""),
    "mathit": ("", ""), "mathbf": ("", ""), "mathcal": ("", ""), "mathbb": ("", ""), "mathsf": ("", ""),
    "operatorname": ("", ""), "natexlab": ("", ""), "foreignlanguage": ("", ""), "NoCaseChange": _NO_CASE,
    "textlatin": ("", ""), "hphantom": ("", ""), "ce": ("", ""),
}  # fmt: skip
#: Old switches: they hold to the end of their group.
_SWITCHES = {
    "it": _ITALIC, "em": _ITALIC, "sl": _ITALIC, "itshape": _ITALIC, "bf": _BOLD, "bfseries": _BOLD,
    "sc": _SMALL_CAPS, "scshape": _SMALL_CAPS, "rm": ("", ""), "sf": ("", ""), "tt": ("", ""),
    "upshape": ("", ""), "normalfont": ("", ""), "ttfamily": ("", ""), "small": ("", ""),
}  # fmt: skip
#: Where words end for the question whether braces keep capitals; as the writer splits them.
_SEPARATOR = re.compile(r"[\s:;,.!?()\[\]{}/\u2010-\u2015<>-]")
#: Groups and commands inside each other; a value with more is no text of a person.
_DEEPEST = 60
#: Characters that are only themselves.
_ORDINARY = re.compile(r"[^\\{}$~^_`'-]+")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)\*?[ \t\n]*|([^A-Za-z]))", re.DOTALL)


class _TooDeepError(Exception):
    """Groups inside groups beyond any text."""


@dataclass(slots=True)
class Decoder:
    """Decodes one value. ``cased`` keeps braces as ``nocase`` where they protect small letters in a title;
    ``unknown`` collects the commands that were left as they stand."""

    cased: bool = False
    unknown: list[str] = field(default_factory=list)
    _text: str = ""
    _at: int = 0
    _math: bool = False
    _depth: int = 0

    def decode(self, value: str) -> str:
        """The text of a raw value, in NFC."""
        self._text, self._at, self._math, self._depth = strip_whole(value), 0, False, 0
        parts = []
        try:
            while self._at < len(self._text):
                parts.append(self._run(end=""))
                if self._at < len(self._text):  # a closing brace too many
                    self._at += 1
        except _TooDeepError:
            self.unknown.append(f"more than {_DEEPEST} levels of nesting")
            parts = [re.sub(r"[{}$\\]+", "", self._text)]
        text = re.sub(r"[ \t\r\n]+", " ", "".join(parts)).strip(" ")
        return unicodedata.normalize("NFC", text)

    def _run(self, *, end: str) -> str:
        """Text up to ``end`` (or to a closing brace, or the end), which is not consumed."""
        output: list[str] = []
        self._enter()
        while self._at < len(self._text):
            character = self._text[self._at]
            if character in (end, "}"):
                break
            if stretch := _ORDINARY.match(self._text, self._at):
                self._at = stretch.end()
                output.append(stretch[0])
            elif character == "\\":
                output.append(self._command(end))
            elif character == "{":
                output.append(self._group())
            elif character == "$":
                output.append(self._formula())
            elif character == "~":
                self._at += 1
                output.append("\u00a0")
            elif self._math and character in "^_":
                self._at += 1
                tag = "sup" if character == "^" else "sub"
                raised = self._argument()
                output.append(f"<{tag}>{raised}</{tag}>" if raised else character)
            else:
                output.append(self._plain())
        self._depth -= 1
        return "".join(output)

    def _enter(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _TooDeepError

    def _plain(self) -> str:
        """One character, or one of TeX's ligatures."""
        if not self._math:
            for written, printed in (("---", "—"), ("--", "–"), ("``", "“"), ("''", "”")):
                if self._text.startswith(written, self._at):
                    self._at += len(written)
                    return printed
        self._at += 1
        return self._text[self._at - 1]

    def _group(self) -> str:
        start = self._at
        self._at += 1
        special = self._text.startswith("\\", self._at)
        inner = self._run(end="}")
        if self._at < len(self._text):
            self._at += 1
        before, after = self._text[max(start - 1, 0) : start], self._text[self._at : self._at + 1]
        whole = not before.isalnum() and not after.isalnum() and after not in ("{", "\\")
        if self.cased and whole and not special and not self._math and _protects(inner):
            return f"{_NO_CASE[0]}{inner}{_NO_CASE[1]}"
        return inner

    def _formula(self) -> str:
        start = self._at
        width = 2 if self._text.startswith("$$", start) else 1
        close = self._text.find("$" * width, start + width)
        if close < 0:
            self._at += 1
            return "$"
        self._at, outer, self._math = start + width, self._math, True
        inner = self._run(end="$")
        self._math = outer
        if self._at != close:  # unbalanced inside: leave the formula as it stands
            inner, self._at = self._text[start : close + width], close
        self._at += width
        return inner

    def _command(self, end: str) -> str:
        match = _COMMAND.match(self._text, self._at)
        if match is None:  # a backslash at the very end
            self._at += 1
            return "\\"
        name = match[1] or match[2]
        after = self._at = match.end()
        if name in _ACCENTS and not (self._math and name in "^'"):
            return self._accented(name)
        if name in _AROUND:
            before, behind = _AROUND[name]
            if name == "foreignlanguage":
                self._argument()
            inner = self._argument()
            return f"{before}{inner}{behind}" if inner else ""
        if name in _SWITCHES:
            before, behind = _SWITCHES[name]
            inner = self._run(end=end or "}")
            return f"{before}{inner}{behind}" if inner else ""
        if name == "href":
            self._argument()
            return self._argument()
        if name in ("char", "symbol") and (number := re.compile(r"\{?(\d+)\}?").match(self._text, self._at)):
            self._at = number.end()
            return chr(int(number[1])) if int(number[1]) < 0x110000 else ""
        if name in _SYMBOLS:
            if name == "noopsort":
                self._argument()
            elif match[1] and self._text.startswith("{}", self._at):
                self._at += 2
            blank = self._math and match[0][-1].isspace()
            return _SYMBOLS[name] + (" " if blank else "")
        self.unknown.append(f"\\{name}")
        return f"\\{name}" + (" " if match[1] and match.end(1) < after else "")

    def _accented(self, name: str) -> str:
        if name.isalpha() or self._text.startswith(" ", self._at):
            while self._text.startswith(" ", self._at):
                self._at += 1
        base = self._argument()
        if not base:
            return {"~": "~", "^": "^", '"': "¨", "'": "´", "`": "`"}.get(name, "")
        # Accents stand over dotless letters in LaTeX and over the plain ones in Unicode.
        base = {"ı": "i", "ȷ": "j"}.get(base[0], base[0]) + base[1:]
        return base[0] + _ACCENTS[name] + base[1:]

    def _argument(self) -> str:
        """The next group, command or character."""
        while self._text.startswith(" ", self._at):
            self._at += 1
        if self._at >= len(self._text) or self._text[self._at] == "}":
            return ""
        if self._math and self._text[self._at] == "$":  # the end of the formula is no argument in it
            return ""
        if self._text[self._at] == "{":
            self._at += 1
            inner = self._run(end="}")
            if self._at < len(self._text):
                self._at += 1
            return inner
        if self._text[self._at] == "\\":
            self._enter()
            inner = self._command("")
            self._depth -= 1
            return inner
        self._at += 1
        return self._text[self._at - 1]


def strip_whole(value: str) -> str:
    """The value without braces that enclose all of it, which many programs write round every title."""
    value = value.strip()
    for _ in range(4):  # nobody writes more; a value of braces alone must not cost its square
        if not (value.startswith("{") and value.endswith("}") and group_end(value, 0) == len(value)):
            break
        value = value[1:-1].strip()
    return value


def group_end(text: str, start: int) -> int:
    """The offset after the brace that closes the one at ``start``; the end when none does."""
    depth = 0
    position = start
    while position < len(text):
        character = text[position]
        if character == "\\":
            position += 1
        depth += (character == "{") - (character == "}")
        position += 1
        if depth == 0:
            return position
    return len(text)


def _protects(inner: str) -> bool:
    """Whether title case would change the letters: a word starts small and has no capital further on."""
    words = [word for word in _SEPARATOR.split(re.sub(r"<[^>]*>", " ", inner)) if word]
    return any(word[0].islower() and not any(c.isupper() for c in word) for word in words)


def plain(value: str) -> str:
    """The decoded text of a value where braces mean nothing."""
    return Decoder().decode(value)


_URL_ESCAPES = (
    (re.compile(r"\\textasciitilde\s*(?:\{\})?|\{\\textasciitilde\}|\\~(?:\{\})?|\$\\sim\$"), "~"),
    (re.compile(r"\\textless\s*(?:\{\})?|\{\\textless\}"), "<"),
    (re.compile(r"\\textgreater\s*(?:\{\})?|\{\\textgreater\}"), ">"),
    (re.compile(r"\\([_%&#$~^{}])"), r"\1"),
)


def verbatim(value: str) -> str:
    """A URL or identifier: only its ``\\url{}`` wrapper and escapes of LaTeX's specials are taken off.

    These are no letters of any URL, DOI or ISBN; programs put them there (papis #738: a link broken by
    ``\\_``). Percent signs, ampersands and tildes of the URL itself stay.
    """
    value = strip_whole(value)
    if match := re.fullmatch(r"\\(?:url|path|nolinkurl)\s*\{(.*)\}", value, re.DOTALL):
        value = match[1].strip()
    value = re.sub(r"\{(\\?[_%&#~<>$-])\}", r"\1", value)
    for pattern, printed in _URL_ESCAPES:
        value = pattern.sub(printed, value)
    return re.sub(r"\s+", "", value) if "://" in value[:12] else re.sub(r"\s+", " ", value).strip()
