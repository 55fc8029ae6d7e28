import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { consoleTransport } from '../../../src/platform/mail/console-transport.ts';
import { ehloName } from '../../../src/platform/mail/ehlo-name.ts';
import { fileTransport } from '../../../src/platform/mail/file-transport.ts';
import { headerText, sanitizeMail } from '../../../src/platform/mail/mail.ts';
import { composeMailBody } from '../../../src/platform/mail/mail-body.ts';
import { MailError } from '../../../src/platform/mail/mail-error.ts';
import { readSmtpUrl } from '../../../src/platform/mail/smtp-transport.ts';

const MAIL = {
  to: 'dev@example.test',
  subject: 'Sign-in code',
  text: 'Hello\n\n    123456\n',
  html: '<p>123456</p>',
  messageId: '01a1b2c3-0000-7000-8000-000000000001',
};

describe('the console transport', () => {
  it('prints what a person needs, and nothing a terminal would act on', async () => {
    let written = '';
    const transport = consoleTransport('Culprit <culprit@example.test>', {
      write(text, done) {
        written += text;
        done();
      },
    });
    await transport.send({ ...MAIL, text: 'a\u001b[31mred\u0007\r\nb\u202ec\n' });
    expect(written).toContain('To: dev@example.test\nSubject: Sign-in code\n\na [31mred  \nb c\n');
    expect(written).not.toMatch(/[^\P{C}\n]/u);
  });

  it('says when nobody takes it', async () => {
    const transport = consoleTransport('culprit@example.test', {
      write: (_text, done) => done(new Error('EPIPE')),
    });
    await expect(transport.send(MAIL)).rejects.toMatchObject({ failure: 'unavailable' });
  });
});

describe('the file transport', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'culprit-mail-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('writes one file per message, readable by this user alone, and a repetition over it', async () => {
    const transport = fileTransport('culprit@example.test', join(directory, 'mail'));
    await transport.send(MAIL);
    await transport.send({ ...MAIL, threadId: 'inc_1' });
    expect(readdirSync(join(directory, 'mail'))).toEqual([`${MAIL.messageId}.json`]);
    const path = join(directory, 'mail', `${MAIL.messageId}.json`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({
      message_id: MAIL.messageId,
      from: 'culprit@example.test',
      to: MAIL.to,
      subject: MAIL.subject,
      text: MAIL.text,
      html: MAIL.html,
      thread_id: 'inc_1',
      written_at: expect.stringMatching(/^\d{4}-/),
    });
  });

  it('says that the directory cannot be used', async () => {
    writeFileSync(join(directory, 'taken'), '');
    const transport = fileTransport('culprit@example.test', join(directory, 'taken'));
    await expect(transport.send(MAIL)).rejects.toMatchObject({ failure: 'unavailable' });
  });
});

describe('the address of a mail server', () => {
  it.each([
    ['smtp://mail.example.com', { host: 'mail.example.com', port: 587, secure: false, requireTLS: false }],
    ['smtp://me:x@mail.example.com', { requireTLS: true, ignoreTLS: false }],
    ['smtp://me:x@127.0.0.1:25', { host: '127.0.0.1', port: 25, requireTLS: false }],
    ['smtp://me:x@mail.example.com?starttls=optional', { requireTLS: false, ignoreTLS: false }],
    ['smtp://me:x@mail.example.com?starttls=off', { requireTLS: false, ignoreTLS: true }],
    ['smtp://mail.example.com?starttls=required', { requireTLS: true }],
    ['smtps://me:x@mail.example.com', { port: 465, secure: true, requireTLS: false }],
    ['smtp://[2001:db8::1]:2525', { host: '2001:db8::1', port: 2525 }],
    ['smtp://mail.example.com?name=culprit.example.net', { name: 'culprit.example.net' }],
  ])('%s is read', (url, expected) => {
    expect(readSmtpUrl(url).connection).toMatchObject(expected);
  });

  it('checks certificates unless told otherwise, and decodes credentials', () => {
    expect(readSmtpUrl('smtps://mail.example.com').connection?.tls?.rejectUnauthorized).toBe(true);
    expect(readSmtpUrl('smtps://mail.example.com?verify=off').connection?.tls?.rejectUnauthorized).toBe(
      false,
    );
    const { credentials } = readSmtpUrl('smtp://me%40example.com:p%2Fw%3A@mail.example.com');
    expect(credentials).toEqual({ user: 'me@example.com', pass: 'p/w:' });
    expect(readSmtpUrl('smtp://mail.example.com').credentials).toBeNull();
  });
});

describe('the name in EHLO', () => {
  it.each([
    ['https://errors.example.com', 'culprit@example.org', 'errors.example.com'],
    ['https://errors.example.com:8443', 'culprit@example.org', 'errors.example.com'],
    ['https://fehler.bücher.example', 'culprit@example.org', 'fehler.xn--bcher-kva.example'],
    ['http://localhost:4800', 'culprit@Example.org', 'example.org'],
    ['http://127.0.0.5:4800', 'culprit@example.org', 'example.org'],
    ['http://[::1]:4800', 'culprit@example.org', 'example.org'],
    ['http://culprit.localhost:4800', 'culprit@example.org', 'example.org'],
    ['http://0.0.0.0:4800', 'culprit@example.org', 'example.org'],
    ['http://culprit:4800', 'culprit@example.org', 'example.org'],
    ['http://192.168.1.5:4800', 'culprit@example.org', '[192.168.1.5]'],
    ['http://[fd00::5]:4800', 'culprit@example.org', '[IPv6:fd00::5]'],
    ['http://localhost:4800', 'culprit@localhost', null],
  ])('is of %s and %s', (baseUrl, from, name) => {
    expect(ehloName(baseUrl, from)).toBe(name);
  });
});

describe('a header', () => {
  it.each([
    ['plain', 'plain'],
    ['a\r\nBcc: b@c.d', 'a Bcc: b@c.d'],
    ['a\nb\rc\td\0e', 'a b c d e'],
    ['  around \u2028 ', 'around'],
    ['bidi\u202e\u2066 marks', 'bidi marks'],
    ['👩\u200d👧 می\u200cخواهم', '👩\u200d👧 می\u200cخواهم'],
    ['lone \ud800 surrogate', 'lone \ufffd surrogate'],
    ['x'.repeat(21), `${'x'.repeat(19)}…`],
    ['😀'.repeat(21), `${'😀'.repeat(19)}…`],
  ])('of %j is %j', (text, expected) => {
    expect(headerText(text, 20)).toBe(expected);
  });

  it('leaves the rest of a message as it is, except for what cannot be stored', () => {
    const mail = { ...MAIL, subject: 'a\nb', text: 'a\0b\n', html: '<p>\ud800</p>' };
    expect(sanitizeMail(mail)).toEqual({
      to: MAIL.to,
      subject: 'a b',
      text: 'a\ufffdb\n',
      html: '<p>\ufffd</p>',
    });
  });
});

describe('the two forms of a message', () => {
  it('say the same, and no text of a user is markup in either', () => {
    const hostile = `<script>alert("1")</script> & \u001b[2J <%= x %> {{y}}`;
    const body = composeMailBody(`Title ${hostile}`, [
      { kind: 'text', text: hostile },
      { kind: 'code', text: '123456' },
      { kind: 'link', label: hostile, url: 'https://app.example.com/x?a=1&b="2"' },
      { kind: 'link', label: 'no link', url: 'javascript:alert(1)' },
      { kind: 'list', items: [hostile, 'second'] },
    ]);
    expect(body.html).not.toMatch(/<script|href="javascript/);
    expect(body.html).not.toContain('\u001b');
    expect(body.html).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp;');
    expect(body.html).toContain('href="https://app.example.com/x?a=1&amp;b=&quot;2&quot;"');
    expect(body.html.match(/<a /g)).toHaveLength(1);
    expect(body.text).toContain('<script>alert("1")</script> &  [2J <%= x %> {{y}}');
    expect(body.text).toContain('    123456');
    expect(body.text).toContain('- second');
    expect(body.text).not.toContain('\u001b');
  });
});

describe('the words of a failure', () => {
  it('name no address, and stay short', () => {
    const error = new MailError(
      'rejected',
      `550 5.1.1 <dev@example.test>: user dev@example.test unknown\r\n${'x'.repeat(500)}`,
    );
    expect(error.message).toContain('550 5.1.1 <[address]>: user [address] unknown');
    expect(error.message).not.toContain('dev');
    expect(error.message.length).toBeLessThan(250);
  });
});
