# SPDX-License-Identifier: MIT
"""Reads a page as a browser does, and says what is wrong with it."""
import html.parser
import json
import re

VOID = {"meta", "br", "hr"}
ASKING = {"src", "srcset", "data", "poster", "action", "formaction", "background", "ping", "manifest", "xlink:href"}


class Page(html.parser.HTMLParser):
    """The elements of a page: (name, attributes, text of its own and of all within it), in their order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.problems = [], [], []
        self.feed(text)
        self.close()
        self.problems += [f"<{element['name']}> is not ended" for element in self.open]

    def handle_starttag(self, name, attributes):
        element = {"name": name, "attributes": dict(attributes), "text": "", "parents": [e["name"] for e in self.open],
                   "hidden": any("aria-hidden" in e["attributes"] for e in self.open)}
        if len(element["attributes"]) != len(attributes):
            self.problems.append(f"<{name}> has an attribute twice")
        self.elements.append(element)
        if name not in VOID:
            self.open.append(element)

    def handle_endtag(self, name):
        if not self.open or self.open[-1]["name"] != name:
            self.problems.append(f"</{name}> ends nothing")
        else:
            self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def handle_comment(self, data):
        self.problems.append(f"a comment: {data[:40]!r}")

    def named(self, *names):
        return [element for element in self.elements if element["name"] in names]

    def words(self):
        return " ".join(self.named("main")[0]["text"].split())

    def json(self, identifier):
        found = [e for e in self.named("script") if e["attributes"].get("id") == identifier]
        assert len(found) == 1 and found[0]["attributes"]["type"] == "application/json", found
        return json.loads(found[0]["text"])


def without_carried(text):
    """The page without what every page carries, and without its JSON: what a person changes when words change."""
    return re.sub(r"(<(style|script)[^>]*>).*?</\2>", r"\1</\2>", text, flags=re.S)


def problems_of(page):
    """What keeps a page from standing alone, and readers from reading it."""
    out = list(page.problems)
    identifiers = [e["attributes"]["id"] for e in page.elements if "id" in e["attributes"]]
    out += [f"the id {i} stands twice" for i in set(identifiers) if identifiers.count(i) > 1]
    for element in page.elements:
        name, attributes = element["name"], element["attributes"]
        for key in ("aria-labelledby", "aria-describedby"):
            out += [f"{key} names no element: {i}" for i in attributes.get(key, "").split() if i not in identifiers]
        out += [f"<{name} {key}> asks for something" for key in attributes if key in ASKING or key.startswith("on")]
        link = attributes.get("href", "#")
        if name != "a" and link != "#" or name == "a" and not (link.startswith("#") and link[1:] in identifiers):
            out.append(f"<{name}> leads away: {link}")
        if name in ("link", "iframe", "object", "embed", "img", "base", "form"):
            out.append(f"<{name}> is not of such a page")
        if name == "th" and attributes.get("scope") not in ("row", "col"):
            out.append(f"a head without scope: {element['text']}")
        if name == "svg" and attributes.get("aria-hidden") != "true" and attributes.get("role") != "img":
            out.append("a picture is neither named nor hidden")
    for element in page.named("style"):
        out += [f"a style asks for {what}" for what in re.findall(r"url\(|@import|@font-face|expression\(", element["text"])]
    pictures = [e for e in page.named("svg") if e["attributes"].get("role") == "img"]
    for what in ("title", "desc"):
        if len([e for e in page.named(what) if "svg" in e["parents"] and e["text"].strip()]) != len(pictures):
            out.append(f"a picture has no <{what}>")
    levels = [int(e["name"][1]) for e in page.named("h1", "h2", "h3", "h4")]
    if levels.count(1) != 1 or any(b > a + 1 for a, b in zip([0, *levels], levels)):
        out.append(f"headings are out of order: {levels}")
    if page.elements[0]["name"] != "html" or page.elements[0]["attributes"].get("lang") != "en":
        out.append("the language is not said")
    if len(page.named("table")) != len(page.named("caption")):
        out.append("a table has no caption")
    return out
