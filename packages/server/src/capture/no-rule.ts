/** What a fate that no rule decided carries in place of a rule's id. */
export const NO_RULE = '00000000-0000-0000-0000-000000000000';
