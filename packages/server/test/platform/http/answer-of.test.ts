import { defineEndpoint } from '@culprit/contract/endpoints/endpoint';
import Type from 'typebox';
import { expect, it } from 'vitest';
import { answerOf } from '../../../src/platform/http/binding/responder.ts';
import { changeWidget, listWidgets, pressWidget } from './sample-api.ts';

const widget = { name: 'a', size: null, owner: null };

it('the answer of an operation has the status of its endpoint, and a single field under its name', () => {
  expect(answerOf(changeWidget)(widget)).toEqual({ status: 200, body: { widget } });
  const page = { widgets: [widget], next_cursor: null };
  expect(answerOf(listWidgets)(page)).toEqual({ status: 200, body: page });
  expect(answerOf(pressWidget)(undefined)).toEqual({ status: 204, body: undefined });
});

it('an endpoint with two answers, or with none, cannot derive one', () => {
  const endpoint = (responses: Record<number, 'empty' | ReturnType<typeof Type.String>>) =>
    defineEndpoint({ id: 'two', method: 'GET', path: '/two', summary: 's', auth: 'public', responses });
  expect(() => answerOf(endpoint({ 200: Type.String(), 202: 'empty' }))).toThrow('endpoint two');
  expect(() => answerOf(endpoint({}))).toThrow('endpoint two');
  expect(answerOf(endpoint({ 200: Type.String() }))('text')).toEqual({ status: 200, body: 'text' });
});
