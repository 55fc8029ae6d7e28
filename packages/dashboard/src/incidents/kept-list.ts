/** Where a list stood when its page went away. */
export interface Place {
  name: string;
  row: string | null;
  offset: number;
}

/** A list that can be brought back to where it was. */
export interface KeptList {
  order: readonly string[];
  /** Reads one more page, and tells whether there are others. */
  readOn: () => Promise<boolean>;
  goTo: (place: Place) => void;
}
