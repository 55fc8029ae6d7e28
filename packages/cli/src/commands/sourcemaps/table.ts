import type { CommandGroup } from '../../command.ts';
import type { Flag } from '../../flag.ts';
import { LIST_FLAGS } from '../../lists/list-flags.ts';
import { DRY_RUN } from '../../records/dry-run-flag.ts';
import { MAP_FILTERS } from './flags.ts';

const RELEASE: Flag = {
  name: 'release',
  value: 'VERSION',
  says: 'release of the build; default CULPRIT_RELEASE, else none',
};

export const SOURCE_MAPS: CommandGroup = {
  noun: 'sourcemaps',
  aliases: ['sourcemap'],
  says: 'upload source maps, and find out why a frame is not mapped',
  heading: 'Send',
  commands: [
    {
      path: 'sourcemaps upload',
      says: 'give the scripts of a build debug ids, and upload them with their maps',
      arguments: '<DIR...>',
      flags: [
        RELEASE,
        { name: 'no-inject', says: 'do not change scripts' },
        { name: 'delete-maps', says: 'delete uploaded maps and the comments that refer to them' },
        {
          name: 'source-root',
          value: 'DIR',
          says: 'folder of sources that a map lacks; default the git root, otherwise the working directory',
        },
        { name: 'no-sources', says: 'do not send sources' },
        DRY_RUN,
      ],
      examples: [
        'sourcemaps upload dist --delete-maps',
        'sourcemaps upload .next --delete-maps',
        'sourcemaps upload dist --release shop@1.9.0 --json',
      ],
      exits: {
        7: 'some files were refused',
        8: 'there are no usable files',
        9: 'this server does not read source maps',
      },
      endpoints: ['beginMapUpload', 'putMapPart', 'finishMapUpload', 'getMapUpload'],
      load: () => import('./upload.ts').then(({ run }) => run),
    },
    {
      path: 'sourcemaps inject',
      says: 'give the scripts of a build and their maps debug ids, without uploading',
      arguments: '<DIR...>',
      flags: [RELEASE, DRY_RUN],
      examples: ['sourcemaps inject dist', 'sourcemaps inject dist --dry-run --json'],
      exits: { 8: 'a file cannot get an id, or there is no script with a map' },
      load: () => import('./inject.ts').then(({ run }) => run),
    },
    {
      path: 'sourcemaps check',
      says: 'check whether frames can be mapped, for a folder, a script URL or an incident',
      arguments: '[WHAT...]',
      flags: [
        { name: 'frame', value: 'FILE:LINE:COLUMN', says: 'explain one frame, written as in a stack' },
        { name: 'debug-id', value: 'ID', says: 'with --frame: debug id of the file' },
        { ...RELEASE, says: 'with --frame: release of the event' },
      ],
      examples: [
        'sourcemaps check dist',
        'sourcemaps check https://shop.example.com/assets/index-C3AUdZv9.js',
        "sourcemaps check --frame 'https://shop.example.com/assets/index.js:1:734' --release shop@1.9.0",
        'sourcemaps check @latest',
      ],
      exits: { 8: 'something is wrong, or a frame is not mapped' },
      endpoints: ['explainFrame'],
      load: () => import('./check.ts').then(({ run }) => run),
    },
    {
      path: 'sourcemaps list',
      says: 'list stored source maps, newest first',
      flags: [...MAP_FILTERS, ...LIST_FLAGS],
      examples: [
        'sourcemaps list',
        'sourcemaps list --release shop@1.9.0',
        'sourcemaps list --debug-id 3e5754c3-…',
      ],
      endpoints: ['listSourceMaps'],
      load: () => import('./records.ts').then(({ list }) => list),
    },
    {
      path: 'sourcemaps uploads',
      says: 'list the uploads of the last 30 days, newest first',
      flags: LIST_FLAGS,
      examples: ['sourcemaps uploads', 'sourcemaps uploads --json'],
      endpoints: ['listMapUploads'],
      load: () => import('./records.ts').then(({ uploads }) => uploads),
    },
    {
      path: 'sourcemaps missing',
      says: 'list the maps that incidents need, those with the most events first',
      flags: LIST_FLAGS,
      examples: ['sourcemaps missing', 'sourcemaps missing --json'],
      endpoints: ['listMissingMaps'],
      load: () => import('./records.ts').then(({ missing }) => missing),
    },
    {
      path: 'sourcemaps show',
      says: 'show a source map and its files',
      arguments: '<ID>',
      examples: ['sourcemaps show 01a2…', 'sourcemaps show 01a2… --json'],
      endpoints: ['getSourceMap'],
      load: () => import('./records.ts').then(({ show }) => show),
    },
    {
      path: 'sourcemaps delete',
      says: 'delete a source map; bundles keep their mapped frames',
      arguments: '<ID>',
      flags: [DRY_RUN],
      examples: ['sourcemaps delete 01a2…', 'sourcemaps delete 01a2… --yes'],
      endpoints: ['deleteSourceMap'],
      load: () => import('./records.ts').then(({ remove }) => remove),
    },
  ],
};
