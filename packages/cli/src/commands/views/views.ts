import { createView, deleteView, listViews, updateView } from '@culprit/contract/search/views';
import { usageError } from '../../cli-error.ts';
import type { Run } from '../../command.ts';
import { listCommand, type RecordOptions, recordCommand } from '../../records/record-commands.ts';
import { VIEW_FIELDS } from './flags.ts';

export const list = listCommand({
  endpoint: listViews,
  project: 'optional query',
  isWhole: true,
  key: 'views',
  id: 'view_id',
  columns: [
    ['NAME', 'name', 'wide'],
    ['STATUS', 'status'],
    ['ORDER', 'sort'],
    ['QUERY', 'q', 'wide'],
    ['SHARED', ({ is_shared }) => (is_shared === true ? 'yes' : 'no')],
    ['ID', 'view_id'],
  ],
  empty: 'No views.',
});

const RECORD: Pick<RecordOptions, 'key' | 'id' | 'flags'> = {
  key: 'view',
  id: 'view_id',
  flags: VIEW_FIELDS,
};
const create = (project: 'body.project_id' | 'none') =>
  recordCommand({
    ...RECORD,
    endpoint: createView,
    project,
    body: (_, input) => ({ name: input.first }),
  });
const update = recordCommand({
  ...RECORD,
  endpoint: updateView,
  project: 'none',
  argument: 'id',
  needsChange: true,
});

export const save: Run = async (context, input) => {
  const id = input.text('id');
  const [name] = input.args;
  if (id !== null) {
    if (name !== undefined)
      throw usageError('--id cannot change the name of a view.', `culprit views rename ${id} NAME`);
    return await update(context, input.withArguments([id]));
  }
  if (name === undefined) throw usageError('What is the name of the view?', 'culprit views save NAME');
  return await create(input.has('for-project') ? 'body.project_id' : 'none')(context, input);
};

export const rename = recordCommand({
  ...RECORD,
  flags: [],
  endpoint: updateView,
  project: 'none',
  argument: 'id',
  secondArgument: 'name',
});

export const remove = recordCommand({
  endpoint: deleteView,
  project: 'none',
  argument: 'id',
  key: 'view',
  id: 'view_id',
});
