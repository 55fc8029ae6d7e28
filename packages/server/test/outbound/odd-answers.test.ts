import type { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { sendGuarded } from '../../src/platform/outbound/send-guarded.ts';
import { requestOutcome } from '../../src/platform/row-queue/attempt-outcome.ts';
import { type RawServer, startRawServer } from '../support/raw-server.ts';
import { checkOf, deliveryTo, policyWith } from './policy-with.ts';

const LOCAL = policyWith({ isLoopbackAllowed: true, allowlist: ['127.0.0.1'] });
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});

/** Answers each request with these bytes; `paths` are those that were requested. */
async function answering(
  answer: string | Buffer | ((path: string, socket: Socket) => void),
): Promise<RawServer & { paths: string[] }> {
  const paths: string[] = [];
  const server = await startRawServer((socket) => {
    socket.once('data', (request) => {
      const path = request.toString('latin1').split(' ')[1] ?? '';
      paths.push(path);
      if (typeof answer === 'function') answer(path, socket);
      else socket.end(answer);
    });
  });
  closing.push(server.close);
  return { ...server, paths };
}

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** A 200 with these lines among its headers, and a body by length. */
function withHeaders(...lines: string[]): string {
  return ['HTTP/1.1 200 OK', 'Server: odd/1', ...lines, 'Content-Length: 2', '', 'ok'].join('\r\n');
}

describe('an answer that counts, with its body, for checks and deliveries', () => {
  it.each([
    ['after 100', `HTTP/1.1 100 Continue\r\n\r\n${OK}`],
    ['after 100 with headers and without a reason', `HTTP/1.1 100\r\nDate: now\r\n\r\n${OK}`],
    [
      'after 102 and 103',
      `HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${OK}`,
    ],
    ['after 101 that was not requested', `HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n${OK}`],
    ['after an interim answer that no standard names', `HTTP/1.1 199 Working\r\n\r\n${OK}`],
    [
      'after 20 interim answers',
      'HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n'.repeat(20) + OK,
    ],
    ['after empty lines', `\r\n\r\n${OK}`],
    ['without a reason', 'HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok'],
    ['with a blank for a reason', 'HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nok'],
    [
      'with a reason in Latin-1',
      Buffer.from('HTTP/1.1 200 Trouv\xe9\r\nContent-Length: 2\r\n\r\nok', 'latin1'),
    ],
    ['with several blanks', 'HTTP/1.1   200   OK\r\nContent-Length: 2\r\n\r\nok'],
    ['of HTTP/1.0 up to the end', 'HTTP/1.0 200 OK\r\nServer: old\r\n\r\nok'],
    ['of HTTP/0.9 by name', 'HTTP/0.9 200 OK\r\n\r\nok'],
    ['of HTTP/2 in text', 'HTTP/2 200\r\ncontent-length: 2\r\n\r\nok'],
    ['in lower case', 'http/1.1 200 ok\r\n\r\nok'],
    ['without a version', 'HTTP 200 OK\r\n\r\nok'],
    ['of a radio station', 'ICY 200 OK\r\nicy-name: x\r\n\r\nok'],
    ['with bare line feeds', 'HTTP/1.1 200 OK\nServer: x\nContent-Length: 2\n\nok'],
    ['with mixed line ends', 'HTTP/1.1 200 OK\r\nServer: x\nContent-Length: 2\r\n\nok'],
    ['with a blank in a name', withHeaders('X Frame Options: DENY')],
    ['with a blank before the colon', withHeaders('X-Frame-Options : DENY')],
    ['with a blank before the colon of a length', 'HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nokok'],
    ['with control characters', withHeaders('Set-Cookie: a=\x01\x00\x1f\x7f; Path=/')],
    ['with a carriage return in a value', withHeaders('X-A: b\rc')],
    ['with folded headers', withHeaders('X-A: b', '\tc', '   d')],
    ['with a blank before the first header', 'HTTP/1.1 200 OK\r\n Server: x\r\nContent-Length: 2\r\n\r\nok'],
    ['with a line of blanks', withHeaders('   ')],
    ['without a colon', withHeaders('HTTP/1.1 200 OK', 'no colon here', ':', ': nameless')],
    ['with names that are no tokens', withHeaders('"X"@(y): z', 'Ünï: ö')],
    ['with letters outside ASCII', withHeaders('X-Title: Übersicht ☃')],
    ['with one length twice', withHeaders('Content-Length: 2')],
    ['with one length twice in a line', 'HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok'],
    ['with lengths that differ', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok'],
    ['with a length that is no number', 'HTTP/1.1 200 OK\r\nContent-Length: two\r\n\r\nok'],
    ['with an empty length', 'HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nok'],
    ['with a length beside chunks', withChunks('2\r\nok\r\n0\r\n\r\n', 'Content-Length: 100')],
    ['in chunks', withChunks('1\r\no\r\n1\r\nk\r\n0\r\n\r\n')],
    ['in chunks with extensions', withChunks('2;name="a;b"\r\nok\r\n0;last\r\n\r\n')],
    ['in chunks with blanks and zeros', withChunks('  0002  \r\nok\r\n000\r\n\r\n')],
    ['in chunks with bare line feeds', withChunks('2\nok\n0\n\n')],
    ['in chunks with trailers', withChunks('2\r\nok\r\n0\r\nX-Checksum: 1\r\nX Y: 2\r\n\r\n')],
    ['in chunks without the last one', withChunks('2\r\nok\r\n')],
    ['in a coding and chunks', withChunks('2\r\nok\r\n0\r\n\r\n', 'Transfer-Encoding: identity')],
    ['with headers of 60 KB', withHeaders(`Content-Security-Policy: ${'a'.repeat(60_000)}`)],
    ['with 5000 headers', withHeaders(...Array<string>(5000).fill('X-A: b'))],
  ])('%s', async (_what, answer) => {
    const { url } = await answering(answer);
    const expected = { kind: 'answered', status: 200, body: Buffer.from('ok') };
    expect(await sendGuarded(LOCAL, checkOf(url))).toMatchObject(expected);
    expect(await sendGuarded(LOCAL, deliveryTo(url))).toMatchObject(expected);
  });

  it('byte by byte', async () => {
    const bytes = Buffer.from(`HTTP/1.1 100 Continue\r\n\r\n${withChunks('2;x=y\r\nok\r\n0\r\n\r\n')}`);
    const { url } = await answering((_path, socket) => {
      socket.setNoDelay(true);
      const next = (index: number): void => {
        if (index === bytes.length) socket.end();
        else socket.write(bytes.subarray(index, index + 1), () => setImmediate(next, index + 1));
      };
      next(0);
    });
    expect(await sendGuarded(LOCAL, deliveryTo(url))).toMatchObject({ status: 200, body: Buffer.from('ok') });
  });

  it.each([
    ['that end with the connection', 'HTTP/1.1 204 No Content\r\nServer: x\r\n', 204],
    ['that are missing', 'HTTP/1.1 503', 503],
    ['before a status that no standard names', 'HTTP/1.1 999 Request denied\r\n\r\n', 999],
  ])('with headers %s', async (_what, answer, status) => {
    const { url } = await answering(answer);
    expect(await sendGuarded(LOCAL, checkOf(url))).toMatchObject({ kind: 'answered', status });
  });
});

describe('an answer that is refused', () => {
  const longHeaders = (status: string) => `HTTP/1.1 ${status}\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`;
  it.each([
    ['of another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['of a mail server', '220 mail.example.com ESMTP\r\n'],
    ['without a status line', '<html><body>ok</body></html>\r\n'],
    ['without a line end', 'ok'],
    ['of bytes', Buffer.from([0x15, 3, 1, 0, 2, 2, 0x46])],
    ['with a status that is no number', 'HTTP/1.1 OK\r\n\r\n'],
    ['with a status of four digits', 'HTTP/1.1 2000 OK\r\n\r\n'],
    ['with a status below 100', 'HTTP/1.1 099 Odd\r\n\r\n'],
    ['of a protocol that was not asked for', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n'],
    ['after 200 interim answers', 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(200) + OK],
    [
      'after 80 KB of interim answers',
      `HTTP/1.1 103 Hints\r\nLink: ${'a'.repeat(40_000)}\r\n\r\n`.repeat(2) + OK,
    ],
    ['after an endless line', `HTTP/1.1 200 ${'a'.repeat(70_000)}`],
  ])('%s is an invalid response', async (_what, answer) => {
    const { url } = await answering(answer);
    const expected = { kind: 'failed', word: 'invalid_response', errorKind: 'invalid_response' };
    expect(await sendGuarded(LOCAL, checkOf(url))).toMatchObject(expected);
    expect(await sendGuarded(LOCAL, deliveryTo(url))).toMatchObject(expected);
  });

  it('for its headers is an invalid response to a check, and its status counts for a delivery', async () => {
    const { url } = await answering(longHeaders('200 OK'));
    expect(await sendGuarded(LOCAL, checkOf(url))).toMatchObject({ errorKind: 'invalid_response' });
    const result = await sendGuarded(LOCAL, deliveryTo(url));
    expect(requestOutcome(result)).toMatchObject({ error: null, responseCode: 200 });
    const failing = await answering(longHeaders('500 Oops'));
    const failed = await sendGuarded(LOCAL, deliveryTo(failing.url));
    expect(requestOutcome(failed)).toMatchObject({ error: 'http_500', responseCode: 500 });
  });

  it.each([
    ['stall', (socket: Socket) => socket.write('HTTP/1.1 202 Accepted\r\nServer: x\r\n')],
    [
      'break',
      (socket: Socket) =>
        socket.write('HTTP/1.1 202 Accepted\r\nServer: x\r\n', () =>
          setTimeout(() => socket.resetAndDestroy(), 50),
        ),
    ],
  ])('is none for a delivery whose headers %s after a 2xx: it is not sent again', async (_what, answer) => {
    const { url } = await answering((_path, socket) => void answer(socket));
    const result = await sendGuarded(LOCAL, deliveryTo(url, { timeoutMs: 500 }));
    expect(requestOutcome(result)).toMatchObject({ error: null, responseCode: 202 });
    expect(await sendGuarded(LOCAL, checkOf(url, { timeoutMs: 500 }))).toMatchObject({ kind: 'failed' });
  });
});

describe('a redirect', () => {
  /** Follows one redirect with these header lines, and gives what was requested. */
  async function followed(...lines: (string | Buffer)[]) {
    const head = lines.flatMap((line) => [Buffer.from(line), Buffer.from('\r\n')]);
    const server = await answering((path, socket) =>
      socket.end(
        path === '/dir/from?q'
          ? Buffer.concat([Buffer.from('HTTP/1.1 302 Found\r\n'), ...head, Buffer.from('\r\n')])
          : OK,
      ),
    );
    const result = await sendGuarded(LOCAL, checkOf(`${server.url}dir/from?q`));
    return { result, paths: server.paths.slice(1), port: server.port };
  }

  it.each<[string, string | Buffer, string]>([
    ['UTF-8', 'Location: /straße/übersicht?q=ö', '/stra%C3%9Fe/%C3%BCbersicht?q=%C3%B6'],
    ['UTF-8 that ends like a blank', 'Location: /à', '/%C3%A0'],
    ['UTF-8 of four bytes', 'Location: /😀', '/%F0%9F%98%80'],
    ['Latin-1', Buffer.from('Location: /caf\xe9', 'latin1'), '/caf%C3%A9'],
    ['percent signs', 'Location: /%C3%BC', '/%C3%BC'],
    ['blanks around', 'Location: \t /to \t', '/to'],
    ['blanks inside', 'Location: /a b', '/a%20b'],
    ['a fragment', 'Location: /to#part', '/to'],
    ['a relative path', 'Location: to', '/dir/to'],
    ['a path upwards', 'Location: ../to', '/to'],
    ['a query alone', 'Location: ?page=2', '/dir/from?page=2'],
    ['a folded line', 'Location:\r\n /to', '/to'],
    ['a name in another case', 'LOCATION : /to', '/to'],
  ])('goes where it says, with %s', async (_what, line, path) => {
    const { result, paths } = await followed('X Bad\x01: y', line, 'Content-Length: 0', 'Content-Length: 1');
    expect(result).toMatchObject({ kind: 'answered', status: 200, redirectCount: 1 });
    expect(paths).toEqual([path]);
  });

  it('goes to the same host without a scheme, and to a whole address', async () => {
    const other = await answering(OK);
    for (const location of [`//127.0.0.1:${other.port}/to`, `http://127.0.0.1:${other.port}/to`]) {
      const { result } = await followed(`Location: ${location}`);
      expect(result).toMatchObject({ status: 200, finalUrl: `${other.url}to` });
    }
    expect(other.paths).toEqual(['/to', '/to']);
  });

  it('to an address of 9 KB is refused', async () => {
    const { result, paths } = await followed(`Location: /${'a'.repeat(9000)}`);
    expect(result).toMatchObject({ kind: 'failed', errorKind: 'redirect_target_blocked' });
    expect(paths).toEqual([]);
  });

  it('that is said twice, or once and once empty, is one; two that differ are an invalid response', async () => {
    expect((await followed('Location: /to', 'Location: /to')).paths).toEqual(['/to']);
    expect((await followed('Location:', 'Location: /to')).paths).toEqual(['/to']);
    const { result, paths } = await followed('Location: /one', 'Location: /other');
    expect(result).toMatchObject({ kind: 'failed', errorKind: 'invalid_response' });
    expect(paths).toEqual([]);
  });

  it.each([['without an address'], ['with an empty one', 'Location:'], ['with a blank one', 'Location:   ']])(
    '%s is an answer like any other',
    async (_what, ...lines) => {
      const { result, paths } = await followed('Server: x', ...lines);
      expect(result).toMatchObject({ kind: 'answered', status: 302, redirectCount: 0 });
      expect(paths).toEqual([]);
    },
  );

  it('to a name with letters outside ASCII is judged by its name on the wire', async () => {
    for (const location of [
      'http://bücher.example/',
      'http://b%C3%BCcher.example/',
      'http://xn--bcher-kva.example/',
    ]) {
      const { result } = await followed(`Location: ${location}`);
      expect(result).toMatchObject({ finalUrl: 'http://xn--bcher-kva.example/', redirectCount: 1 });
    }
  });
});

function withChunks(chunks: string, ...lines: string[]): string {
  return ['HTTP/1.1 200 OK', ...lines, 'Transfer-Encoding: chunked', '', chunks].join('\r\n');
}
