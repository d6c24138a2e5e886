"""Fetches the source archive of one requirement as a file, and says what building it needs.

Nothing of the archive is run: its pyproject.toml is read out of it.
"""
import hashlib, html.parser, io, json, os, re, sys, tarfile, urllib.parse, urllib.request, zipfile

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.version import InvalidVersion, Version

try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib

LONGEST = 512 * 1024 * 1024


class Links(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag == "a" and given.get("href"):
            self.found.append(given)


def get(url, accept="*/*"):
    request = urllib.request.Request(url, headers={"Accept": accept})
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.geturl(), answer.headers.get_content_type(), answer.read(LONGEST)


def archives(name):
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    accept = "application/vnd.pypi.simple.v1+json, text/html;q=0.5"
    base, kind, body = get(f"{index}/{name}/", accept)
    if kind.endswith("json"):
        for file in json.loads(body)["files"]:
            if not file.get("yanked"):
                wants = file.get("requires-python") or ""
                yield file["filename"], file["url"], file.get("hashes", {}).get("sha256"), wants
        return
    links = Links()
    links.feed(body.decode("utf-8", "replace"))
    for link in links.found:
        if "data-yanked" not in link:
            url, fragment = urllib.parse.urldefrag(urllib.parse.urljoin(base, link["href"]))
            digest = fragment[7:] if fragment.startswith("sha256=") else None
            filename = urllib.parse.unquote(url.rsplit("/", 1)[-1])
            yield filename, url, digest, link.get("data-requires-python") or ""


def version_of(name, filename):
    for ending in (".tar.gz", ".zip"):
        if filename.endswith(ending):
            stem = filename[: -len(ending)]
            for at in [match.start() for match in re.finditer("-", stem)]:
                if re.sub("[-_.]+", "-", stem[:at]).lower() == name:
                    try:
                        return Version(stem[at + 1 :])
                    except InvalidVersion:
                        return None
    return None


def manifest(filename, body):
    if filename.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = [n for n in archive.namelist() if re.fullmatch("[^/]+/pyproject.toml", n)]
            return archive.read(names[0]).decode() if names else ""
    with tarfile.open(fileobj=io.BytesIO(body)) as archive:
        for member in archive:
            if member.isfile() and re.fullmatch(r"(\./)?[^/]+/pyproject\.toml", member.name):
                return archive.extractfile(member).read().decode()
    return ""


def main(wanted, folder):
    wanted = Requirement(wanted)
    name = re.sub("[-_.]+", "-", wanted.name).lower()
    here = Version(".".join(map(str, sys.version_info[:3])))
    best = None
    for filename, url, digest, python in archives(name):
        version = version_of(name, filename)
        fits = version and wanted.specifier.contains(version, prereleases=None)
        if fits and here in SpecifierSet(python) and (best is None or version > best[0]):
            best = (version, filename, url, digest)
    if best is None:
        sys.exit(f"there is no source archive for {wanted}")
    _, filename, url, digest = best
    _, _, body = get(url)
    if digest and hashlib.sha256(body).hexdigest() != digest:
        sys.exit(f"{filename} is not what the index promised")
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, os.path.basename(filename))
    with open(path, "wb") as file:
        file.write(body)
    system = tomllib.loads(manifest(filename, body)).get("build-system", {})
    print(json.dumps({"file": path, "requires": system.get("requires", ["setuptools", "wheel"])}))


main(*sys.argv[1:])
