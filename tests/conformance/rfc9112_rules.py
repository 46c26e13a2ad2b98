"""The rules of RFC 9112 for a server, with messages that try each; rfc9112_test.py sends them.

A case is sent in one piece and byte by byte. Behind each one that must be refused stands another request,
which must not be answered; behind each one that must be served stands one that must be.
"""

RULES = []


def rule(section, says, also=""):
    """Registers a rule: the function below it gives the cases, and its name is that of the test."""

    def register(function):
        RULES.append((section, says, function.__name__.replace("_", " "), also, function))
        return function

    return register


def refused(request, status=400):
    """Answered once, with that status, and then the connection ends."""
    return ("refused", request, status)


def served(request, *wanted):
    """Answered, and the connection kept; `wanted` are conditions that the answers fulfil, one after another."""
    return ("served", request, wanted or (has(200),))


def ended(request, *wanted):
    """Answered as wanted, and then the connection ends, whatever stands behind the request."""
    return ("ended", request, wanted or (has(200),))


def has(status, body=None, head_only=False, **fields):
    """What an answer is to have. A field that is None is to be absent; `_` in a name is a dash."""

    def check(answer):
        assert answer is not None, "no answer"
        assert answer.status == status, answer.status
        if body is not None:
            assert answer.body == body, answer.body
        for name, value in fields.items():
            got = answer.one(name.replace("_", "-").encode())
            assert got == value, (name, got)

    check.head_only = head_only
    return check


def get(path=b"/", fields=b"", version=b"1.1"):
    return b"GET " + path + b" HTTP/" + version + b"\r\nHost: a\r\n" + fields + b"\r\n"


def post(fields, content=b"", version=b"1.1"):
    return b"POST / HTTP/" + version + b"\r\nHost: a\r\n" + fields + b"\r\n" + content


def chunked(content, coding=b"Transfer-Encoding: chunked\r\n"):
    return post(coding, content)


AFTER = get(b"/after?show")
LAST = get(b"/last?show", b"Connection: close\r\n")


@rule("2.2", "a message is octets; a value may hold any but controls", "http1_grammar")
def values_keep_their_octets():
    yield served(get(b"/?show", b"X: \xe4\x85\xff\ty\r\n"), has(200, x_x=b"\xe4\x85\xff\ty"))
    for octet in [*range(0x00, 0x09), *range(0x0A, 0x20), 0x7F]:
        yield refused(get(b"/", b"X: a" + bytes([octet]) + b"b\r\n"))


@rule("2.2", "a bare CR makes a message invalid", "http1_grammar, http1_chunked")
def a_bare_cr_is_refused():
    yield refused(b"GET / HTTP/1.1\rHost: a\r\n\r\n")
    yield refused(b"GET /\r HTTP/1.1\r\nHost: a\r\n\r\n")
    yield refused(b"\rGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    yield refused(get(b"/", b"X: b\rContent-Length: 5\r\n"))
    yield refused(get(b"/", b"X: b\r\r\n"))
    yield refused(get(b"/", b"X\r: b\r\n"))
    yield refused(b"GET / HTTP/1.1\r\nHost: a\r\n\rX: b\r\n\r\n")
    yield refused(chunked(b"1\ra\r\n0\r\n\r\n"))
    yield refused(chunked(b"1\r\na\r0\r\n\r\n"))
    yield refused(chunked(b"1;x=\ry\r\na\r\n0\r\n\r\n"))


@rule("2.2", "lines end in CRLF; a bare LF ends none, so no two readers differ", "http1_grammar, http1_chunked (C008, C009)")
def a_bare_lf_is_refused():
    yield refused(b"GET / HTTP/1.1\nHost: a\r\n\r\n")
    yield refused(b"GET / HTTP/1.1\nHost: a\n\n")
    yield refused(b"GET /x\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
    yield refused(b"\nGET / HTTP/1.1\r\nHost: a\r\n\r\n")
    yield refused(get(b"/", b"X: b\nContent-Length: 5\r\n"))
    yield refused(get(b"/", b"X: b\nTransfer-Encoding: chunked\r\n"))
    yield refused(b"GET / HTTP/1.1\r\nHost: a\r\n\n")
    yield refused(chunked(b"1\na\r\n0\r\n\r\n"))
    yield refused(chunked(b"1;x\ny\r\na\r\n0\r\n\r\n"))
    yield refused(chunked(b"1\r\na\n0\r\n\r\n"))
    yield refused(chunked(b"1\r\na\r\n0\n\r\n"))
    yield refused(chunked(b"1\r\na\r\n0\r\n\n"))
    yield refused(chunked(b"1\r\na\r\n0\r\nX: y\n\r\n"))


@rule("2.2", "one empty line before a request is ignored, and more is no request", "http1_grammar, connection")
def one_empty_line_before_a_request_is_ignored():
    yield served(b"\r\n" + get())
    yield served(get() + b"\r\n" + get(), has(200), has(200))
    yield refused(b"\r\n\r\n" + get())


@rule("2.2", "white space before the first field is refused", "http1_grammar")
def white_space_before_the_first_field_is_refused():
    yield refused(b"GET / HTTP/1.1\r\n Host: a\r\n\r\n")
    yield refused(b"GET / HTTP/1.1\r\n\tX: y\r\nHost: a\r\n\r\n")
    yield refused(b"GET / HTTP/1.1\r\n \r\nHost: a\r\n\r\n")


@rule("2.2", "what is no HTTP is answered with 400", "http1_grammar")
def what_is_no_http_is_refused():
    yield refused(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
    yield refused(b"\0\0\0\0\r\n\r\n")
    yield refused(b"SSH-2.0-OpenSSH_9.2\r\n")
    yield refused(b"GET / HTTP/1.1 and more\r\nHost: a\r\n\r\n")


@rule("2.3", "the version is HTTP/1.1 or HTTP/1.0, in capitals; another is 505", "http1_grammar")
def the_version_is_read_exactly():
    for version in (b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.2", b"HTTP/9.9"):
        yield refused(b"GET / " + version + b"\r\nHost: a\r\n\r\n", 505)
    for version in (b"http/1.1", b"HTTP/1.10", b"HTTP/01.1", b"HTTP/1,1", b"HTTP/+1.1", b"HTTP 1.1", b"", b"HTTP/1."):
        yield refused(b"GET / " + version + b"\r\nHost: a\r\n\r\n")
    yield refused(b"GET /\r\n\r\n")  # HTTP/0.9


@rule("3", "a request line has three parts and two single spaces; it is not mended", "http1_grammar")
def a_request_line_is_read_by_its_grammar():
    for line in (
        b" GET / HTTP/1.1", b"GET  / HTTP/1.1", b"GET /  HTTP/1.1", b"GET / HTTP/1.1 ", b"GET\t/ HTTP/1.1",
        b"GET /\x0bHTTP/1.1", b"GET /a b HTTP/1.1", b"GET HTTP/1.1", b"/ HTTP/1.1", b"G=T / HTTP/1.1",
        b"G\xc3\x89T / HTTP/1.1", b"GET / HTTP/1.1\0", b"GET /\0 HTTP/1.1", b"\0GET / HTTP/1.1",
    ):  # fmt: skip
        yield refused(line + b"\r\nHost: a\r\n\r\n")


@rule("3", "a target that is too long is 414", "http1_limits, refusal (C158)")
def a_target_that_is_too_long_is_414():
    yield served(get(b"/" + b"a" * 8191))
    yield refused(get(b"/" + b"a" * 8192), 414)
    yield refused(get(b"/" + b"a" * 100_000), 414)


@rule("3.1", "methods are told apart by case", "http1_request, status")
def methods_are_told_apart_by_case():
    yield served(b"get /?show HTTP/1.1\r\nHost: a\r\n\r\n", has(200, x_method=b"get"))
    yield served(b"HEAD / HTTP/1.1\r\nHost: a\r\n\r\n", has(200, b"", head_only=True, content_length=b"2"))
    yield served(b"head / HTTP/1.1\r\nHost: a\r\n\r\n", has(200, b"ok"))


@rule("3.2", "400 without Host in HTTP/1.1, with two, and with a wrong one", "http1_grammar")
def a_request_says_once_whom_it_is_for():
    yield refused(b"GET / HTTP/1.1\r\n\r\n")
    yield refused(b"GET / HTTP/1.1\r\nX-Host: a\r\n\r\n")
    yield refused(b"GET http://a/ HTTP/1.1\r\n\r\n")
    for version in (b"1.0", b"1.1"):
        for second in (b"Host: a", b"Host: b", b"host: a", b"Host:", b"HOST:\t"):
            yield refused(b"GET / HTTP/" + version + b"\r\nHost: a\r\n" + second + b"\r\n\r\n")
    for host in (b"a b", b"a, b", b"u@a", b"a/b", b"a:1:2", b"a:99999", b":80", b"::1", b"[::1", b"a%2", b"\xe4", b"a\\b", b"http://a"):
        yield refused(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    for host in (b"", b"a", b"a.b:80", b"[::1]:80", b"127.0.0.1", b"a:"):
        yield served(b"GET / HTTP/1.1\r\nHost: " + host + b"\r\n\r\n")
    yield ended(b"GET / HTTP/1.0\r\n\r\n")


@rule("3.2.1", "a path begins with a slash, is ASCII and has no fragment", "http1_grammar")
def a_path_is_read_by_its_grammar():
    for target in (b"a", b"?a", b"/a#b", b"/\xc3\xa4", b"/\x7f", b"a:80", b"*", b"\\a", b"../a"):
        yield refused(get(target))
    for target in (b"/", b"//a", b"/a;b=c", b"/?", b"/?a=b?c/d", b"/%00", b"/..%2f"):
        yield served(get(target + (b"&" if b"?" in target else b"?") + b"show"))


@rule("3.2.2", "the absolute form is accepted, and goes before Host", "http1_request, request")
def the_absolute_form_is_accepted():
    show = has(200, b"ok", x_target=b"http://b:81/x?show", x_host=b"a")
    yield served(get(b"http://b:81/x?show"), show)
    yield served(get(b"HTTP://b"), has(200, b"ok"))
    yield served(b"GET http://b/ HTTP/1.1\r\nHost:\r\n\r\n")
    for target in (b"http:///x", b"http://:80/", b"http://u@b/", b"ftp://b/", b"http:/x", b"http://b\\c/", b"http://b/#x"):
        yield refused(get(target))
    # Host is not used, but still must not be wrong.
    yield refused(b"GET http://b/ HTTP/1.1\r\nHost: a b\r\n\r\n")


@rule("3.2.3", "the authority form is for CONNECT alone", "http1_grammar, exchange")
def the_authority_form_is_for_connect():
    yield served(b"CONNECT b:443 HTTP/1.1\r\nHost: b:443\r\n\r\n", has(501))
    yield refused(get(b"b:443"))
    for target in (b"b", b"/", b"http://b/", b"b:", b":443"):
        yield refused(b"CONNECT " + target + b" HTTP/1.1\r\nHost: b\r\n\r\n")


@rule("3.2.4", "the asterisk is for OPTIONS alone", "http1_grammar, exchange")
def the_asterisk_is_for_options():
    yield served(b"OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", has(204))
    yield refused(get(b"*"))
    yield refused(b"OPTIONS *x HTTP/1.1\r\nHost: a\r\n\r\n")
    yield refused(b"OPTIONS *?x HTTP/1.1\r\nHost: a\r\n\r\n")


@rule("5", "a malformed field line is refused, not ignored", "http1_grammar")
def a_malformed_field_line_is_refused():
    for line in (
        b"X", b"X Y: z", b": z", b":", b"X@Y: z", b"X(: z", b"\"X\": z", b"X\xff: z", b"X\0: z", b"X: \0", b"X: a\0b",
        b"X: \x0bz", b"X\x85: z", b"\xc2\xa0X: z", b"X=z", b"{X}: z", b"X,Y: z",
    ):  # fmt: skip
        yield refused(get(b"/", line + b"\r\n"))
        yield refused(b"GET / HTTP/1.1\r\n" + line + b"\r\nHost: a\r\n\r\n")
    yield served(get(b"/", b"!#$%&'*+-.^_`|~09aZ: z\r\n"))


@rule("5.1", "white space between a name and its colon is 400", "http1_grammar, http1_framing")
def white_space_before_a_colon_is_refused():
    for name in (b"X", b"Content-Length", b"Transfer-Encoding", b"Host", b"Connection"):
        for space in (b" ", b"\t", b"  ", b"\x0b", b"\x0c", b"\x85", b"\xa0"):
            yield refused(get(b"/", name + space + b": 1\r\n"))


@rule("5.1", "white space around a value is no part of it", "http1_request")
def white_space_around_a_value_is_no_part_of_it():
    for line in (b"X:y", b"X: y", b"X:\ty", b"X:  \t y \t ", b"X: y  "):
        yield served(get(b"/?show", line + b"\r\n"), has(200, x_x=b"y"))
    yield served(get(b"/?show", b"X: \t \r\n"), has(200, x_x=b""))
    yield served(post(b"Content-Length: \t1 \t\r\n", b"a"), has(200, b"a"))


@rule("5.2", "a folded line is 400", "http1_grammar (C011)")
def a_folded_line_is_refused():
    for fold in (b" ", b"\t", b"  \t"):
        yield refused(get(b"/", b"X: a\r\n" + fold + b"b\r\n"))
        yield refused(get(b"/", b"X:\r\n" + fold + b"b\r\n"))
        yield refused(get(b"/", b"X: a\r\n" + fold + b"\r\n"))
        yield refused(post(b"Content-Length: 1\r\n" + fold + b"0\r\n", b"a"))
        yield refused(post(b"Transfer-Encoding:\r\n" + fold + b"chunked\r\n", b"0\r\n\r\n"))
        yield refused(chunked(b"0\r\nX: a\r\n" + fold + b"b\r\n\r\n"))


@rule("6", "content is where Content-Length or Transfer-Encoding is, whatever the method", "http1_framing")
def content_is_where_a_field_says_so():
    for method in (b"GET", b"POST", b"DELETE", b"BREW", b"OPTIONS"):
        start = method + b" /?show HTTP/1.1\r\nHost: a\r\n"
        yield served(start + b"Content-Length: 3\r\n\r\nabc", has(200, b"abc"))
        yield served(start + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", has(200, b"abc"))
        yield served(start + b"\r\n", has(200, b"ok"))
    yield served(b"HEAD / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", has(200, head_only=True, content_length=b"3"))


@rule("6.1", "chunked is understood in any case of its letters, once and last", "http1_framing")
def transfer_encoding_is_chunked_once_and_last():
    for coding in (b"chunked", b"Chunked", b"CHUNKED", b"\tchunked ", b"  chunked\t"):
        yield served(chunked(b"1\r\na\r\n0\r\n\r\n", b"transfer-ENCODING:" + coding + b"\r\n"), has(200, b"a"))
    for coding in (
        b"chunked, chunked", b"chunked, identity", b"chunked,", b"identity", b"gzip", b"chunked, gzip", b"", b"xchunked",
        b"chunkedx", b"chunk", b"x chunked", b"chunked;q=1", b"\"chunked\"", b"'chunked'", b"\x0bchunked", b"chunked\x0b",
        b"\x0cchunked", b"\x85chunked", b"chunked\x85", b"\xa0chunked", b"chunked\xa0", b"\xc2\xa0chunked", b"chun\0ked",
        b"chunked\0", b"chun\xe2\x84\xaaed", b"=chunked", b"chunked chunked",
    ):  # fmt: skip
        yield refused(chunked(b"0\r\n\r\n", b"Transfer-Encoding: " + coding + b"\r\n"))
    for second in (b"chunked", b"identity", b"", b"gzip"):
        yield refused(chunked(b"0\r\n\r\n", b"Transfer-Encoding: chunked\r\nTransfer-Encoding: " + second + b"\r\n"))
        yield refused(chunked(b"0\r\n\r\n", b"Transfer-Encoding: chunked\r\nX: y\r\ntransfer-encoding:" + second + b"\r\n"))


@rule("6.1", "another coding before chunked is 501", "http1_framing")
def another_transfer_coding_is_501():
    for coding in (b"gzip, chunked", b"identity, chunked", b"x, chunked", b"gzip,\tdeflate , chunked"):
        yield refused(chunked(b"0\r\n\r\n", b"Transfer-Encoding: " + coding + b"\r\n"), 501)


@rule("6.1", "Transfer-Encoding in HTTP/1.0 is a faulty message", "http1_framing")
def transfer_encoding_in_http_1_0_is_refused():
    for fields in (b"", b"Connection: keep-alive\r\n", b"Content-Length: 5\r\n"):
        yield refused(post(fields + b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n", b"1.0"))


@rule("6.1", "Transfer-Encoding with Content-Length ends the connection; here it is refused as well", "http1_framing, refusal")
def both_lengths_are_refused():
    for length in (b"0", b"5", b"6", b"x", b""):
        for fields in (
            b"Content-Length: " + length + b"\r\nTransfer-Encoding: chunked\r\n",
            b"Transfer-Encoding: chunked\r\ncontent-length:" + length + b"\r\n",
            b"Transfer-Encoding: chunked\r\nX: y\r\nContent-Length: " + length + b"\r\n",
        ):
            yield refused(post(fields, b"0\r\n\r\n"))
    yield refused(post(b"Content-Length: 5\r\nTransfer-Encoding: identity\r\n", b"abcde"))


@rule("6.1", "no Transfer-Encoding to HTTP/1.0, nor with 204 and 304", "stream, exchange")
def no_transfer_encoding_where_it_must_not_be():
    plain = has(200, b"x" * 10, transfer_encoding=None, content_length=None, connection=b"close")
    yield ended(b"GET /stream?bytes=10&chunk=3 HTTP/1.0\r\n\r\n", plain)
    yield ended(b"GET /stream?bytes=10&chunk=3 HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", plain)
    for status in (204, 304):
        yield served(get(b"/status/%d" % status), has(status, transfer_encoding=None))
    yield served(get(b"/status/204"), has(204, content_length=None))


@rule("6.2", "one length and no Transfer-Encoding, or none", "exchange (C022), stream")
def an_answer_says_once_where_it_ends():
    yield served(get(), has(200, b"ok", content_length=b"2", transfer_encoding=None))
    yield served(get(b"/stream?bytes=10&chunk=3"), has(200, b"x" * 10, content_length=None, transfer_encoding=b"chunked"))
    yield served(get(b"/stream?bytes=0"), has(200, b"", content_length=None))
    yield served(get(b"/status/404"), has(404, b"404\n", content_length=b"4"))


@rule("6.3", "HEAD, 204 and 304 are answered without a body", "exchange, status")
def answers_without_a_body_have_none():
    head = b"HEAD %s HTTP/1.1\r\nHost: a\r\n\r\n"
    yield served(head % b"/", has(200, head_only=True, content_length=b"2"))
    yield served(head % b"/stream?bytes=10", has(200, head_only=True, transfer_encoding=b"chunked"))
    yield served(head % b"/status/404", has(404, head_only=True, content_length=b"4"))
    yield served(get(b"/status/204"), has(204))
    yield served(get(b"/status/304"), has(304))
    yield served(get(b"/status/205"), has(205, b""))  # RFC 9110 section 15.3.6


@rule("6.3", "a Content-Length that is no number, or two that differ, is 400 and ends the connection", "http1_framing, refusal (C002)")
def a_wrong_content_length_is_refused():
    for value in (
        b"", b"+5", b"-5", b"-0", b"0x5", b"5x", b"x5", b"5 5", b"5_0", b"5.0", b"5e0", b"1,000", b"5,5", b"5, 6", b"5;5",
        b"\x0b5", b"5\x0b", b"\x855", b"5\x85", b"\xa05", b"5\0", b"\0005", b"\"5\"", b"\xd9\xa5", b"18446744073709551616",
        b"18446744073709551621", b"9" * 30,
    ):  # fmt: skip
        yield refused(post(b"Content-Length: " + value + b"\r\n", b"abcde"))
    for second in (b"5", b"6", b"", b"05", b"x"):
        yield refused(post(b"Content-Length: 5\r\nContent-Length: " + second + b"\r\n", b"abcde"))
        yield refused(post(b"content-length:5\r\nX: y\r\nCONTENT-LENGTH:" + second + b"\r\n", b"abcde"))


@rule("6.3, 8", "content that breaks off is never taken for whole", "content, http1_body")
def content_that_breaks_off_is_not_whole():
    for request in (post(b"Content-Length: 5\r\n", b"abc"), chunked(b"5\r\nabc"), chunked(b"3\r\nabc\r\n"), chunked(b"0\r\n"), chunked(b"0\r\nX: y\r\n")):
        yield ("broken off", request, ())
    yield ("broken off", b"GET / HTTP/1.1\r\nHost: a\r\n", ())


@rule("6.3, 9.3", "content beyond the limit is refused and ends the connection: none of it is a request", "refusal, content (C017, C018)")
def content_beyond_the_limit_is_no_request():
    yield refused(post(b"Content-Length: 1048577\r\n", AFTER), 413)
    yield refused(post(b"Content-Length: 9223372036854775807\r\n", AFTER), 413)
    yield ("refused", post(b"Content-Length: 18446744073709551615\r\n", AFTER), (400, 413))
    yield refused(chunked(b"100001\r\n" + b"a" * 0x100001 + b"\r\n0\r\n\r\n"), 413)


@rule("7.1", "chunks are decoded byte for byte, their sizes are hexadecimal digits", "http1_chunked (C005, C006, C013)")
def chunks_are_decoded():
    yield served(chunked(b"1\r\na\r\n02\r\nbc\r\n0000\r\n\r\n"), has(200, b"abc"))
    yield served(chunked(b"A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n"), has(200, b"0123456789" * 2))
    yield served(chunked(b"2\r\n\r\n\r\n0\r\n\r\n"), has(200, b"\r\n"))
    yield served(chunked(b"0\r\n\r\n"), has(200, b"ok"))
    for size in (
        b"", b" 1", b"1 ", b"1\t", b"\t1", b"+1", b"-1", b"0x1", b"1x", b"1h", b"1_0", b"g", b"\0", b"1\0", b"\x0b1", b"1\x85",
        b"\xef\xbc\x91", b"1.", b"1,1",
    ):  # fmt: skip
        yield refused(chunked(size + b"\r\na\r\n0\r\n\r\n"))
    yield refused(chunked(b"1\r\nab\r\n0\r\n\r\n"))
    yield refused(chunked(b"1\r\na0\r\n\r\n"))
    yield refused(chunked(b"0\r\nXX"))


@rule("7.1", "a size that no number holds is refused, not cut", "http1_chunked")
def a_chunk_size_does_not_overflow():
    for size in (b"10000000000000001", b"fffffffffffffffff", b"1" + b"0" * 16, b"1" + b"0" * 32):
        yield refused(chunked(size + b"\r\na\r\n0\r\n\r\n"))
    for size in (b"ffffffffffffffff", b"8000000000000000", b"7fffffffffffffff", b"100000001"):
        yield ("refused", chunked(size + b"\r\na\r\n0\r\n\r\n"), (400, 413))


@rule("7.1.1", "chunk extensions are ignored where they are well-formed, and bounded", "http1_chunked")
def chunk_extensions_are_ignored():
    for extension in (b";x", b";x=y", b';x="y;z"', b";x=y;z", b' ; x = "\\""'):
        yield served(chunked(b"1" + extension + b"\r\na\r\n0" + extension + b"\r\n\r\n"), has(200, b"a"))
    for extension in (b";", b";=y", b";x=", b';x="y', b";x\0", b";x=\x0b", b"x;y", b";x y"):
        yield refused(chunked(b"1" + extension + b"\r\na\r\n0\r\n\r\n"))
    yield ("refused", chunked(b"1;" + b"x" * 65536 + b"\r\na\r\n0\r\n\r\n"), (400, 413, 431))
    yield ("refused", chunked((b"1;" + b"x" * 200 + b"\r\na\r\n") * 400 + b"0\r\n\r\n"), (400, 413, 431))


@rule("7.1.2", "trailers are no header fields, and frame nothing", "http1_chunked, content (C007)")
def trailers_are_kept_apart():
    show = post(b"Transfer-Encoding: chunked\r\n").replace(b"POST /", b"POST /?show")
    yield served(show + b"1\r\na\r\n0\r\nX: y\r\n\r\n", has(200, b"a", x_x=None))
    yield served(show + b"0\r\nContent-Length: 5\r\nHost: b\r\nTransfer-Encoding: gzip\r\n\r\n", has(200, x_content_length=None, x_host=b"a"))
    for line in (b"X", b"X : y", b": y", b"X: \0", b"X@: y", b" X: y", b"X: y\r\n z"):
        yield refused(chunked(b"0\r\n" + line + b"\r\n\r\n"))
    yield refused(chunked(b"0\r\nX:" + b"y" * 100_000 + b"\r\n\r\n"), 431)


@rule("9.3", "HTTP/1.1 is kept, HTTP/1.0 where it asks, neither with close", "http1_request, exchange")
def a_connection_is_kept_or_ends():
    yield served(get())
    yield served(get(b"/", b"Connection: keep-alive\r\n"))
    yield served(get(b"/", b"Connection: x,\t,Keep-Alive ,\r\n", b"1.0"), has(200, connection=b"keep-alive"))
    for fields in (b"Connection: close", b"connection:CLOSE", b"Connection: x, close", b"Connection: keep-alive\r\nConnection: close"):
        for version in (b"1.1", b"1.0"):
            yield ended(get(b"/", fields + b"\r\n", version), has(200, connection=b"close"))
    yield ended(get(b"/", b"", b"1.0"), has(200, connection=b"close"))
    yield ended(get(b"/", b"Proxy-Connection: keep-alive\r\n", b"1.0"))


@rule("9.3.2", "pipelined requests are answered in their order", "exchange (C019)")
def pipelined_answers_keep_their_order():
    many = b"".join(get(b"/%d?show" % i) for i in range(20))
    yield served(many, *(has(200, x_target=b"/%d?show" % i) for i in range(20)))
    yield served(get(b"/slow?ms=50") + get(b"/x?show"), has(200, x_target=None), has(200, x_target=b"/x?show"))
    mixed = post(b"Content-Length: 1\r\n", b"a") + chunked(b"1\r\nb\r\n0\r\n\r\n") + get() + post(b"Content-Length: 1\r\n", b"c")
    yield served(mixed, has(200, b"a"), has(200, b"b"), has(200, b"ok"), has(200, b"c"))


@rule("9.6", "after close no further request is processed, on either side's word", "exchange, refusal (C032)")
def nothing_is_processed_after_close():
    yield ended(get(b"/", b"Connection: close\r\n") + AFTER, has(200, connection=b"close"))
    yield ended(get(b"/slow?ms=20", b"Connection: close\r\n") + AFTER, has(200, connection=b"close"))
    yield ended(post(b"Connection: close\r\nContent-Length: 1\r\n", b"a") + AFTER, has(200, b"a", connection=b"close"))
    yield ended(get(b"/stream?bytes=10", b"Connection: close\r\n") + AFTER, has(200, b"x" * 10, connection=b"close"))
