import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/platform/config/config.ts';

const read = (text: string) => readConfig({ CULPRIT_OBJECT_STORE: text }).objectStore;

describe('the address of an object store', () => {
  it.each([
    ['s3://bucket', { prefix: '', endpoint: null, region: null, isPathStyle: false }],
    ['s3://bucket/', { prefix: '' }],
    ['s3://bucket/some/Prefix/', { prefix: 'some/Prefix' }],
    ['s3://bucket?region=eu-central-1', { region: 'eu-central-1', isPathStyle: false }],
    ['s3://bucket?endpoint=http://127.0.0.1:9000', { endpoint: 'http://127.0.0.1:9000', isPathStyle: true }],
    ['s3://bucket?endpoint=https://s3.example.com&path_style=off', { isPathStyle: false }],
    ['s3://bucket?path_style=on', { isPathStyle: true }],
  ])('%s is read', (text, expected) => {
    expect(read(text)).toMatchObject({ kind: 's3', bucket: 'bucket', ...expected });
  });

  it.each([
    ...['https://bucket', 's3:', 's3://', 's3://b', 's3://bucket:9000/x', 's3://-bucket', 's3://bucket/a b'],
    ...['s3://bucket/../x?endpoint=ftp://host', 's3://bucket/a//b', 's3://bucket/.hidden', 's3://bucket#x'],
    ...[
      's3://bucket?endpoint=s3.example.com',
      's3://bucket?endpoint=https://key:pw@host',
      's3://bucket?pathstyle=on',
    ],
    ...['s3://bucket?region=EU', 's3://bucket?path_style=yes', 's3://bucket?region=a&region=b'],
    ...['s3://AKIA:hunter2@bucket/prefix', 's3://bucket?secret=hunter2'],
  ])('%s is refused, and not repeated', (text) => {
    const refusal = () => read(text);
    expect(refusal).toThrow(ConfigError);
    expect(refusal).toThrow(/CULPRIT_OBJECT_STORE must be an address like `s3:\/\/bucket\/prefix`/);
    expect(refusal).not.toThrow(/hunter2/);
  });
});
