"""Serve one GGUF file on loopback until told to stop: serve.py MODEL PORT."""

import os
import signal
import sys

import xllamacpp


def main(model, port):
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    params.n_ctx = 8192
    params.n_parallel = 2
    params.cpuparams.n_threads = 2
    params.model_alias = {os.path.basename(model).removesuffix(".gguf")}
    params.use_jinja = True
    params.warmup = False
    # The server lives as long as this name does.
    server = xllamacpp.Server(params)
    print("serving", model, "on", server.listening_address, flush=True)
    signal.sigwait({signal.SIGTERM, signal.SIGINT})


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    main(sys.argv[1], int(sys.argv[2]))
