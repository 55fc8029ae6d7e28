import { addSampleData, getSampleData, removeSampleData } from '@culprit/contract/workspace/sample-data';
import { recordCommand } from '../../records/record-commands.ts';

const RECORD = { project: 'params.id', key: 'sample_data' } as const;

export const show = recordCommand({ ...RECORD, endpoint: getSampleData });

export const add = recordCommand({ ...RECORD, endpoint: addSampleData });

export const remove = recordCommand({
  ...RECORD,
  endpoint: removeSampleData,
  question: () => 'Remove the sample data with all notes and changes of its incidents?',
});
