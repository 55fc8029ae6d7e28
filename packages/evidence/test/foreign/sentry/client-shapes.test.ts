import { expect, it } from 'vitest';
import { at, keyOf, mapped, normalizedEvent } from './map-event.ts';
import { APP_SHAPES } from './shapes/apps.ts';
import { COMPILED_SHAPES } from './shapes/compiled.ts';
import { INTERPRETED_SHAPES } from './shapes/interpreted.ts';
import { JAVASCRIPT_SHAPES } from './shapes/javascript.ts';
import { SCRIPT_SHAPES } from './shapes/scripts.ts';
import { frames } from './shapes/shape.ts';

it('places of a binary without symbols are the same in every run, and two of them are two', () => {
  const crash = (offset: number, base: number) => ({
    platform: 'cocoa',
    exception: {
      values: [
        {
          type: 'EXC_BAD_ACCESS',
          value: 'x',
          stacktrace: frames({
            in_app: true,
            package: 'Shop',
            instruction_addr: `0x${(base + offset).toString(16)}`,
            image_addr: `0x${base.toString(16)}`,
          }),
        },
      ],
    },
  });
  const key = keyOf(crash(0x1a2c4, 0x100000000));
  expect(keyOf(crash(0x1a2c4, 0x10034c000))).toBe(key);
  expect(keyOf(crash(0x1b000, 0x100000000))).not.toBe(key);
});

it.each([...COMPILED_SHAPES, ...INTERPRETED_SHAPES, ...APP_SHAPES, ...JAVASCRIPT_SHAPES, ...SCRIPT_SHAPES])(
  '$client',
  ({ event, type, says, frame }) => {
    const [found] = mapped('event', event).events;
    expect(found?.event_type).toBe(type);
    for (const [path, value] of Object.entries(says)) expect(at(found, path), path).toEqual(value);
    if (frame === undefined) return;
    const normalized = normalizedEvent(event);
    expect(JSON.stringify(normalized)).toContain(`"${frame}"`);
  },
);
