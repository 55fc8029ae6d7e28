/** The placeholder for the rule's id in an outcome that no rule decided. */
export const NO_RULE = '00000000-0000-0000-0000-000000000000';
