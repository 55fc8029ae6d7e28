/** The position of a list when its page was left. */
export interface Place {
  name: string;
  row: string | null;
  offset: number;
}

/** A list that can be brought back to where it was. */
export interface KeptList {
  order: readonly string[];
  /** Reads one more page, and returns true if there are others. */
  readOn: () => Promise<boolean>;
  goTo: (place: Place) => void;
}
