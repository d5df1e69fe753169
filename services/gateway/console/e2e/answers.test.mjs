// The answers that the pages are given instead of the server's.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Answers } from './answers.mjs';

test('the items that are added have ids that no other item has', () => {
  const item = {
    type: 'object',
    required: ['_id'],
    properties: { _id: { type: 'string', pattern: '^[0-9a-z]{26}$' } },
  };
  const start = 'qzbs64p84mf6zfem6v5ngxnk';
  for (const end of ['48', '00', 'x7']) {
    const items = [`${start}${end}`, `${start}59`].map((_id) => ({ _id }));
    const varied = new Answers({ paths: {} }).vary({ type: 'array', items: item }, items, 'most');
    assert.equal(varied.length, 60);
    assert.equal(new Set(varied.map(({ _id }) => _id)).size, 60, end);
  }
});
