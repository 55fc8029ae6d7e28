import { expect, it } from 'vitest';
import { readFields } from '../../src/trackers/tracker-values.ts';

it.each([
  ['', []],
  [
    ' customfield_10042: {"value":"Web"}\n\ncomponents: a: b\n',
    [
      { id: 'customfield_10042', value: '{"value":"Web"}' },
      { id: 'components', value: 'a: b' },
    ],
  ],
  ['customfield_10042', null],
  ['customfield_10042:', null],
  [': x', null],
  ['a b: x', null],
])('required fields of tickets in the lines %j are %j', (text, fields) => {
  expect(readFields(text)).toEqual(fields);
});
