import type { DebugBundle } from '@culprit/contract/incidents/bundle';
import type { Incident } from '@culprit/contract/incidents/incidents';
import { describe, expect, it } from 'vitest';
import { createEvidenceRedaction } from '../../src/bundles/sharing/redact-shared-text.ts';
import { sharedForm } from '../../src/bundles/sharing/shared-form.ts';

const redacted = (text: string) => createEvidenceRedaction().text(text);

describe('what an answer leaves out of texts', () => {
  it.each([
    ['svc_mem_abcdefghijklmnop123456', '[secret]'],
    ['Authorization: Bearer abcdef0123456789', 'Authorization: Bearer [secret]'],
    ['Basic dXNlcjpwYXNzd29yZA==', 'Basic [secret]'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', '[secret]'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEvQ\n-----END PRIVATE KEY----- rest', '[secret] rest'],
    ['AKIAABCDEFGHIJKLMNOP', '[secret]'],
    ['ghp_abcdefghijklmnopqrstuvwx', '[secret]'],
    ['github_pat_11AAAAAAA0abcdefghijkl', '[secret]'],
    ['glpat-abcdefghij0123456789', '[secret]'],
    ['xoxb-1234567890-abcdefghij', '[secret]'],
    ['sk_live_abcdefghij1234', '[secret]'],
    ['AIzaSyA0123456789abcdefghijklmnopqrstuv', '[secret]'],
    ['npm_abcdefghijklmnopqrstuvwxyz', '[secret]'],
    ['postgres://app:hunter2@db.internal/shop', 'postgres://[secret]db.internal/shop'],
    ['/callback?token=abc123&page=2', '/callback?token=[secret]&page=2'],
    ['/x?access_token=abc', '/x?access_token=[secret]'],
    ['mail ann.lee+x@example.co.uk now', 'mail [email] now'],
    ['a@b.example9, c@d-e.xn--p1ai', '[email], [email]'],
    ['in shop@1.9.0, @acme/ui@2.0.1-rc.1', 'in shop@1.9.0, @acme/ui@2.0.1-rc.1'],
    ['from 203.0.113.9 to 10.0.0.8', 'from [ip] to 10.0.0.8'],
    ['from 203.0.113.9. It', 'from [ip]. It'],
    ['version 203.0.113.9.4', 'version 203.0.113.9.4'],
    ['from 2001:db8::8a2e:370:7334.', 'from [ip].'],
    ['2001:db8::1: refused, fe80::1: too', '[ip]: refused, fe80::1: too'],
    ['2001:db8:: and ::', '[ip] and ::'],
    ['at 12:34:56 on ::1', 'at 12:34:56 on ::1'],
    ['DE89 3704 0044 0532 0130 00', '[iban]'],
    ['DE00 3704 0044 0532 0130 00', 'DE00 3704 0044 0532 0130 00'],
    ['call +49 30 1234567', 'call [phone]'],
    ['a + 3, +1 point', 'a + 3, +1 point'],
    ['at f (/home/ann/shop/src/orders/total.ts:20:5)', 'at f (orders/total.ts:20:5)'],
    ['at g (/srv/www/shop/total.ts:20:5)', 'at g (www/shop/total.ts:20:5)'],
    ['C:\\Users\\ann\\app\\total.cs', 'total.cs'],
    ['GET /v1/orders/7/items', 'GET /v1/orders/7/items'],
  ])('%s', (text, expected) => {
    expect(redacted(text)).toBe(expected);
  });

  it('is counted by kind', () => {
    const redaction = createEvidenceRedaction();
    redaction.text('ann@example.com and bob@example.com from 203.0.113.9');
    redaction.leftOut('header', 3);
    expect(redaction.removed).toEqual({ email: 2, ip: 1, header: 3 });
  });
});

describe('an incident and its bundle, as others get them', () => {
  it('have no text with an address of a person, whatever its key, and links that still lead there', () => {
    const links = { self: 'https://culprit.example/app/data/v1/bundles/1', incident: null };
    const bundle = { links, context: { notes: [{ 'from ana@shop.example': 'ana@shop.example wrote' }] } };
    const incident = { title: 'ana@shop.example failed', occurrence_count: 2 };
    // The form does not matter to it: only these fields of the two records are here.
    const [sharedIncident, sharedBundle] = sharedForm(incident as Incident, bundle as unknown as DebugBundle);
    expect(sharedIncident).toEqual({ title: '[email] failed', occurrence_count: 2 });
    expect(sharedBundle).toEqual({ links, context: { notes: [{ 'from [email]': '[email] wrote' }] } });
  });
});
