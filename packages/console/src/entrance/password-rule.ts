/** The fewest characters of a password. */
export const minimumPasswordLength = 12
