import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  givenRouteTemplate,
  pathRouteTemplate,
  requestRoute,
} from '../../../src/events/fingerprint/route-template.ts';

describe('a given route template', () => {
  it.each([
    ['/users/:id', '/users/{param}'],
    ['/flights/:from-:to', '/flights/{param}-{param}'],
    ['/users/{id}', '/users/{param}'],
    ['/users/{id:int}/x', '/users/{param}/x'],
    ['/users/{id:[0-9]{3}}', '/users/{param}'],
    ['/users/{id?}', '/users/{param}'],
    ['/users/<int:id>', '/users/{param}'],
    ['/users/<id>', '/users/{param}'],
    ['/posts/[slug]', '/posts/{param}'],
    ['/docs/[...path]', '/docs/{param}'],
    ['/users/(?P<pk>[0-9]+)/x', '/users/{param}/x'],
    ['/users/(?P<pk>(?:a|b)+)', '/users/{param}'],
    ['/files/*path', '/files/{param}'],
    ['/files/*', '/files/*'],
    ['/files/{*path}', '/files/{param}'],
    ['users/list', '/users/list'],
    ['/users/', '/users'],
    ['/users?sort=:dir#top', '/users'],
    ['/', '/'],
    ['///', '/'],
    ['/users/42', '/users/42'],
  ])('%s becomes %s', (template, route) => {
    expect(givenRouteTemplate(template)).toBe(route);
  });

  it('wins over the path; a blank one does not', () => {
    expect(requestRoute({ routeTemplate: '/u/:id', path: '/u/7', url: null })).toBe('/u/{param}');
    expect(requestRoute({ routeTemplate: ' ', path: '/u/7/x', url: null })).toBe('/u/{param}/x');
    expect(requestRoute({ routeTemplate: null, path: '', url: 'https://a.example/u/7' })).toBe('/u/{param}');
    expect(requestRoute({ routeTemplate: null, path: null, url: null })).toBeNull();
  });
});

describe('a path', () => {
  it.each([
    ['digits', '/orders/48213/pay', '/orders/{param}/pay'],
    ['uuid', '/o/550e8400-E29B-41d4-a716-446655440000', '/o/{param}'],
    ['hex with a digit', '/blob/deadbeef01', '/blob/{param}'],
    ['hex without a digit', '/blob/deadbeef', '/blob/deadbeef'],
    ['at sign', '/user/@ana', '/user/{param}'],
    ['prefixed id', '/c/cus_9s6XKz1', '/c/{param}'],
    ['snake case', '/c/user_settings', '/c/user_settings'],
    ['business id', '/o/ORD-1029', '/o/{param}'],
    ['version', '/v1/x', '/v1/x'],
    ['date', '/report/2026-03-24T10', '/report/{param}'],
    ['long token', '/t/abcdefghijklmnopqrs1', '/t/{param}'],
    ['long word', '/t/abcdefghijklmnopqrstuv', '/t/abcdefghijklmnopqrstuv'],
    ['joined numbers', '/geo/12.5,13.4', '/geo/{param}'],
    ['escapes', '/search/a%20b', '/search/{param}'],
    ['query and fragment', '/a/b?c=/1/2#d', '/a/b'],
    ['full URL', 'https://user@api.example.com:8443/v1/x?y=1', '/v1/x'],
    ['URL without a path', 'https://api.example.com?y=1', '/'],
    ['empty segments', '//a///b/', '/a/b'],
    ['nothing', '?x=1', '/'],
    ['12 segments', `/${Array.from('abcdefghijklmnop').join('/')}`, '/a/b/c/d/e/f/g/h/i/j/k/l'],
  ])('with %s', (_rule, path, route) => {
    expect(pathRouteTemplate(path)).toBe(route);
  });

  it('gives a route that stays as it is', () => {
    fc.assert(
      fc.property(fc.webUrl({ withQueryParameters: true }), (url) => {
        const route = pathRouteTemplate(url);
        expect(route).toMatch(/^\//);
        expect(pathRouteTemplate(route)).toBe(route);
      }),
    );
  });
});
