/** What must never be answered: a whole request in a place where only one of two readers sees one. */
export const HIDDEN_PATH = '/v1/documents/hidden';
const hidden = `GET ${HIDDEN_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`;

const post = 'POST /v1/events HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer project\r\n';
const chunked = `${post}Transfer-Encoding: chunked\r\n\r\n`;

/** Ends the body for a reader of chunks; for a reader of lengths the hidden request still belongs to it. */
const afterChunks = `0\r\n\r\n${hidden}`;

/** A request with these header lines, then the bytes that two readers would divide in two ways. */
function framedBy(lines: string, body = afterChunks): string {
  return `${post}${lines}\r\n\r\n${body}`;
}

/** Both lengths given: all of the body, and one by which it ends early. */
const whole = `Content-Length: ${afterChunks.length}`;
const early = 'Content-Length: 5';

/** Streams whose framing can be read in two ways, or in none: refused, and the connection closed. */
export const AMBIGUOUS: readonly (readonly [title: string, bytes: string | Buffer])[] = [
  ['a length of all, then chunks', framedBy(`${whole}\r\nTransfer-Encoding: chunked`)],
  ['chunks, then a length of all', framedBy(`Transfer-Encoding: chunked\r\n${whole}`)],
  ['a short length, then chunks', framedBy(`${early}\r\nTransfer-Encoding: chunked`)],
  ['a length of zero, then chunks', framedBy('Content-Length: 0\r\nTransfer-Encoding: chunked')],
  ['a length and chunks in capitals', framedBy(`${whole}\r\nTRANSFER-ENCODING: CHUNKED`)],
  ['a length and chunks behind a tab', framedBy(`${whole}\r\nTransfer-Encoding:\tchunked`)],
  ['a length and chunks in quotes', framedBy(`${whole}\r\nTransfer-Encoding: "chunked"`)],
  ['a length and chunks with a parameter', framedBy(`${whole}\r\nTransfer-Encoding: chunked;q=1`)],
  ['a length and an identity coding', framedBy(`${whole}\r\nTransfer-Encoding: identity`)],
  ['a length and an empty coding', framedBy(`${whole}\r\nTransfer-Encoding:`)],
  ['a length and two codings', framedBy(`${whole}\r\nTransfer-Encoding: identity, chunked`)],
  ['chunks, then identity', framedBy('Transfer-Encoding: chunked, identity')],
  ['chunks, then another coding line', framedBy('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity')],
  ['another coding line, then chunks', framedBy('Transfer-Encoding: identity\r\nTransfer-Encoding: gzip')],
  ['a coding with a blank before its colon', framedBy(`${whole}\r\nTransfer-Encoding : chunked`)],
  ['a coding with a tab before its colon', framedBy(`${whole}\r\nTransfer-Encoding\t: chunked`)],
  ['a coding behind a blank', framedBy(`${whole}\r\n Transfer-Encoding: chunked`)],
  ['a coding on a folded line', framedBy(`${whole}\r\nTransfer-Encoding:\r\n chunked`)],
  ['a coding behind a bare line feed', framedBy(`${whole}\r\nX: y\nTransfer-Encoding: chunked`)],
  ['a coding behind a bare carriage return', framedBy(`${whole}\r\nX: y\rTransfer-Encoding: chunked`)],
  ['a coding with a NUL in its name', framedBy(`${whole}\r\nTransfer-Encoding\0: chunked`)],
  ['a coding with a NUL in its value', framedBy(`${whole}\r\nTransfer-Encoding: chunked\0`)],
  ['a coding behind a form feed', framedBy(`${whole}\r\nTransfer-Encoding: \x0cchunked`)],
  [
    'a coding behind a no-break space',
    Buffer.from(framedBy(`${whole}\r\nTransfer-Encoding: \xa0chunked`), 'latin1'),
  ],
  ['a line end before the colon', framedBy(`${whole}\r\nTransfer-Encoding\r\n: chunked`)],
  ['a short length, then all', framedBy(`${early}\r\n${whole}`)],
  ['all, then a short length', framedBy(`${whole}\r\n${early}`)],
  ['a length in two spellings of its name', framedBy(`${whole}\r\ncontent-length: 5`)],
  ['a length with a blank before its colon', framedBy('Content-Length : 5')],
  ['a length and an empty one', framedBy(`${early}\r\nContent-Length:`)],
  ['two numbers in a length', framedBy(`Content-Length: 5 ${afterChunks.length}`)],
  ['a length with an underscore', framedBy('Content-Length: 5_0')],
  ['a length with a fraction', framedBy('Content-Length: 5.0')],
  ['a length with an exponent', framedBy('Content-Length: 1e1')],
  ['a length with a vertical tab', framedBy('Content-Length: 5\x0b')],
  ['a length on a folded line', framedBy('Content-Length:\r\n 5')],
  ['a length of 2^64 and 5', framedBy('Content-Length: 18446744073709551621')],
  ['chunks in an old version', framedBy('Transfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0')],
  [
    'chunks in an old version that keeps its connection',
    framedBy('Connection: keep-alive\r\nTransfer-Encoding: chunked').replace('HTTP/1.1', 'HTTP/1.0'),
  ],
  [
    'chunks and a length where no body belongs',
    framedBy(`${whole}\r\nTransfer-Encoding: chunked`).replace('POST /v1/events', 'GET /live'),
  ],
  ['a chunk size with a prefix', `${chunked}0x0\r\n\r\n${hidden}`],
  ['a chunk size with a sign', `${chunked}+0\r\n\r\n${hidden}`],
  ['a chunk size behind a blank', `${chunked} 0\r\n\r\n${hidden}`],
  ['a chunk size of 2^64', `${chunked}10000000000000000\r\n\r\n${hidden}`],
  ['a chunk size that ends with a bare line feed', `${chunked}0\n\r\n${hidden}`],
  ['a chunk size that ends with a bare carriage return', `${chunked}0\r\r\n${hidden}`],
  ['a last chunk that ends with bare line feeds', `${chunked}0\n\n${hidden}`],
  ['an extension with a bare line feed', `${chunked}0;a\n\r\n${hidden}`],
  ['an extension with a bare carriage return', `${chunked}2;a\rb\r\nab\r\n${afterChunks}`],
  ['a chunk that ends with something else', `${chunked}2\r\nabXX${afterChunks}`],
  ['a chunk without an end', `${chunked}2\r\nab${afterChunks}`],
  ['a length among the trailers', `${chunked}0\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`],
  ['a coding among the trailers', `${chunked}0\r\nTransfer-Encoding: chunked\r\n\r\n${afterChunks}`],
  ['a trailer without colon', `${chunked}0\r\nX\r\n\r\n${hidden}`],
  ['a trailer on a folded line', `${chunked}0\r\nX: y\r\n z\r\n\r\n${hidden}`],
  ['a request line with a third part', `GET /live HTTP/1.1 ${HIDDEN_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`],
  [
    'a request line with a bare carriage return',
    `GET /live HTTP/1.1\rGET ${HIDDEN_PATH} HTTP/1.1\r\nHost: x\r\n\r\n`,
  ],
  ['a request line of the version before the first', `GET /live\r\n${hidden}`],
  ['a response as request', `HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n${hidden}`],
];

const inBody = `Content-Length: ${hidden.length}`;

/** Streams with one meaning, in which the hidden request is part of a body; with the status of each answer. */
export const UNAMBIGUOUS: readonly (readonly [title: string, bytes: string, statuses: readonly number[]])[] =
  [
    ['a length with leading zeros', framedBy(`Content-Length: 000${hidden.length}`, hidden), [202]],
    ['a length between blanks', framedBy(`Content-Length: \t ${hidden.length} \t`, hidden), [202]],
    [
      'a coding with an underscore in its name',
      framedBy(`${inBody}\r\nTransfer_Encoding: chunked`, hidden),
      [202],
    ],
    ['a coding in another header', framedBy(`${inBody}\r\nX-Transfer-Encoding: chunked`, hidden), [202]],
    ['an accepted coding', framedBy(`${inBody}\r\nTE: chunked`, hidden), [202]],
    ['a length in the connection header', framedBy(`${inBody}\r\nConnection: Content-Length`, hidden), [202]],
    [
      'a hidden request in a chunk',
      `${chunked}${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      [202],
    ],
    [
      'a chunk size with leading zeros',
      `${chunked}000${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      [202],
    ],
    [
      'chunks in capitals',
      `${chunked.replace('chunked', 'CHUNKED')}${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      [202],
    ],
    ['a body of a GET', `GET /live HTTP/1.1\r\nHost: x\r\n${inBody}\r\n\r\n${hidden}`, [200]],
    [
      'chunks of a GET',
      `GET /live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      [200],
    ],
    ['a body of OPTIONS', `OPTIONS /v1/widgets HTTP/1.1\r\nHost: x\r\n${inBody}\r\n\r\n${hidden}`, [404]],
    ['a body of a trace', `TRACE /live HTTP/1.1\r\nHost: x\r\n${inBody}\r\n\r\n${hidden}`, [404]],
    ['a body of DELETE', `DELETE /v1/widgets/a HTTP/1.1\r\nHost: x\r\n${inBody}\r\n\r\n${hidden}`, [404]],
    [
      'a body behind an expected continue',
      `GET /live HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${inBody}\r\n\r\n${hidden}`,
      [200],
    ],
    [
      'a refused body behind an expected continue',
      `PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n${inBody}\r\n\r\n${hidden}`,
      [401],
    ],
    [
      'a refused body in chunks',
      `PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
      [401],
    ],
    [
      'a body too large, filled with requests',
      `PATCH /v1/widgets/a HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer member\r\nContent-Length: ${hidden.length * 8_000}\r\n\r\n${hidden.repeat(8_000)}`,
      [413],
    ],
    [
      'a hidden request in an encoded line end',
      `GET /live?a=%0d%0a%0d%0a${encodeURIComponent(hidden)} HTTP/1.1\r\nHost: x\r\n\r\n`,
      [400],
    ],
    [
      'another address in the target than in the host',
      `GET http://y/live HTTP/1.1\r\nHost: x\r\n\r\n`,
      [200],
    ],
  ];
