/** Minimum length of a password in characters. */
export const minimumPasswordLength = 12
