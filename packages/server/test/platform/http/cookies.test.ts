import { describe, expect, it } from 'vitest';
import { cookieHeader, readCookie } from '../../../src/platform/http/binding/cookies.ts';

describe('a cookie of a request', () => {
  it.each([
    ['s=1', '1'],
    ['a=0; s=1; b=2', '1'],
    ['s=1;s=1', '1'],
    [' s = 1 ', '1'],
    ['s=a=b', 'a=b'],
    ['s=1; s=2', null],
    ['s=1; s=', null],
    ['s=; s=1', null],
    ['s', null],
    ['S=1', null],
    ['\xa0s=1', null],
    ['s\xa0=1', null],
    ['\ufeffs=1; s=2', '2'],
    ['\ts\t=\t1', '1'],
    ['ss=1; xs=2; s_=3', null],
    ['', null],
    [undefined, null],
  ])('in %j is %j', (header, value) => {
    expect(readCookie(header, 's')).toBe(value);
  });
});

describe('a cookie that is set', () => {
  it('is out of reach of scripts and other sites', () => {
    const cookie = { name: 's', value: 'v', path: '/x', maxAgeSeconds: 60, isSecure: true };
    expect(cookieHeader(cookie)).toBe('s=v; Path=/x; Max-Age=60; HttpOnly; SameSite=Lax; Secure');
    expect(cookieHeader({ ...cookie, isSecure: false })).not.toContain('Secure');
  });
});
