/** The lane in which uploaded maps are read, one file after the other. */
export const MAPS_LANE = 'maps';

/** Job kind, keyed by upload: judges its files and makes their look-up forms. */
export const READ_MAP_UPLOAD = 'maps.read';

/** The lane in which incidents get the maps that came after their events. */
export const LATE_MAPS_LANE = 'late-maps';

/** Job kind, keyed by project. */
export const MAP_LATE = 'maps.late';

/** The upload that a job is about; a row that was not written by this program is an error. */
export function readUploadId(payload: Record<string, unknown>): string {
  const { uploadId } = payload;
  if (typeof uploadId !== 'string') throw new Error('unreadable job of an upload');
  return uploadId;
}
