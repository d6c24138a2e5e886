"""Fetches one requirement that names an address, as a file or a folder, and says what it needs.

Nothing of what is fetched is run: its pyproject.toml is read. git gets no settings but ours.
"""
import hashlib, io, json, os, re, subprocess, sys, tarfile, urllib.parse, urllib.request, zipfile

try:
    import tomllib
except ImportError:
    from pip._vendor import tomli as tomllib

LONGEST = 512 * 1024 * 1024


def cloned(url, folder):
    address, _, revision = url.partition("@") if "@" in url.split("://", 1)[1] else (url, "", "")
    git = ["git", "-c", "core.hooksPath=/dev/null", "-c", "core.symlinks=false", "-c", "core.fsmonitor=false"]
    target = os.path.join(folder, "tree")
    subprocess.run(git + ["clone", "--quiet", "--template=", "--", address, target], check=True)
    if revision:
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._/-]*", revision):
            sys.exit(f"{revision} is no revision")
        subprocess.run(git + ["-C", target, "checkout", "--quiet", "--detach", revision], check=True)
    return target


def downloaded(url, fragment, folder):
    with urllib.request.urlopen(url, timeout=60) as answer:
        body = answer.read(LONGEST)
    promised = re.search("sha256=([0-9a-f]{64})", fragment)
    if promised and hashlib.sha256(body).hexdigest() != promised.group(1):
        sys.exit("what came is not what the project promises")
    path = os.path.join(folder, os.path.basename(urllib.parse.unquote(urllib.parse.urlparse(url).path)))
    with open(path, "wb") as file:
        file.write(body)
    return path, body


def manifest(path, body):
    if path.endswith(".zip"):
        with zipfile.ZipFile(io.BytesIO(body)) as archive:
            names = [n for n in archive.namelist() if re.fullmatch("[^/]+/pyproject.toml", n)]
            return archive.read(names[0]).decode() if names else ""
    with tarfile.open(fileobj=io.BytesIO(body)) as archive:
        for member in archive:
            if member.isfile() and re.fullmatch(r"(\./)?[^/]+/pyproject\.toml", member.name):
                return archive.extractfile(member).read().decode()
    return ""


def main(line, folder):
    url = line.split("@", 1)[1].strip() if re.match(r"[A-Za-z0-9._\[\],-]+\s*@\s*\w+(\+\w+)?://", line) else line
    url, fragment = urllib.parse.urldefrag(url.split(" ;")[0].strip())
    os.makedirs(folder, exist_ok=True)
    if url.startswith("git+"):
        path = cloned(url[4:], folder)
        below = re.search("subdirectory=([A-Za-z0-9._/-]+)", fragment)
        if below and ".." not in below.group(1).split("/"):
            path = os.path.join(path, below.group(1).lstrip("/"))
        text = ""
        if os.path.isfile(os.path.join(path, "pyproject.toml")):
            with open(os.path.join(path, "pyproject.toml"), encoding="utf-8") as file:
                text = file.read()
    else:
        path, body = downloaded(url, fragment, folder)
        if path.endswith(".whl"):
            print(json.dumps({"file": path, "requires": [], "wants": []}))
            return
        text = manifest(path, body)
    read = tomllib.loads(text)
    requires = read.get("build-system", {}).get("requires", ["setuptools", "wheel"])
    wants = read.get("project", {}).get("dependencies", [])
    print(json.dumps({"file": path, "requires": requires, "wants": wants}))


main(*sys.argv[1:])
