"""Examples that speak TLS, asked by Python's ssl; the openssl program makes their certificates."""

import os
import ssl
import subprocess
import tempfile

from driver import PATIENCE_SECONDS, Server, same


def hello_tls(program):
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem")
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
             "-days", "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
             "-keyout", key, "-out", certificate],
            check=True, capture_output=True, timeout=PATIENCE_SECONDS)
        context = ssl.create_default_context(cafile=certificate)
        context.set_alpn_protocols(["http/1.1"])
        with Server(program, option=[certificate, key]) as server:
            with context.wrap_socket(server.connect(), server_hostname="localhost") as client:
                same(client.selected_alpn_protocol(), "http/1.1")
                client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                got = b""
                while piece := client.recv(4096):
                    got += piece
                same(got.endswith(b"Hello, World!"), True)
        # A key that is not the certificate's is refused before anything listens.
        bad = subprocess.run([program, certificate, certificate, "127.0.0.1:0"], capture_output=True,
                             text=True, timeout=PATIENCE_SECONDS)
        same((bad.returncode, certificate in bad.stderr), (1, True))
