import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** docs/contract/dashboard.md 3.3, recomputed from the token file by WCAG 2.2's formula. */
const TOKENS = readFileSync(new URL('../../src/tokens.css', import.meta.url), 'utf8');
const GROUNDS = ['canvas', 'surface', 'raised', 'sunken', 'hover', 'selected'];
const TEXTS = ['text', 'text-2', 'text-3', 'accent', 'critical', 'high', 'medium', 'low', 'ok', 'regressed'];

type Theme = 0 | 1;

function colour(name: string, theme: Theme): string {
  const [, light = '', dark = ''] =
    new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(TOKENS) ?? [];
  return theme === 0 ? light : dark;
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [x, y] = [luminance(a), luminance(b)];
  return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
}

describe.each([
  ['light', 0],
  ['dark', 1],
] as const)('colours in the %s theme', (_name, theme) => {
  it.each(TEXTS)('%s can be read on every ground', (name) => {
    for (const ground of GROUNDS) {
      expect(contrast(colour(name, theme), colour(ground, theme)), ground).toBeGreaterThanOrEqual(4.5);
    }
  });

  it.each(['line-strong', 'chart'])('%s can be told from every ground', (name) => {
    for (const ground of GROUNDS) {
      expect(contrast(colour(name, theme), colour(ground, theme)), ground).toBeGreaterThanOrEqual(3);
    }
  });

  it.each([
    ['on-accent', 'accent'],
    ['critical', 'critical-ground'],
    ['high', 'high-ground'],
    ['ok', 'ok-ground'],
    ['accent', 'info-ground'],
    ['text', 'critical-ground'],
    ['text', 'ok-ground'],
    ['text', 'info-ground'],
    ['text', 'code-mark'],
    ['text-2', 'code-mark'],
  ])('%s can be read on %s', (text, ground) => {
    expect(contrast(colour(text, theme), colour(ground, theme))).toBeGreaterThanOrEqual(4.5);
  });
});
