/** A secret of the gateway in this suite, which must not appear anywhere. */
export const canary = (name: string): string => `canary-${name}-7f3a91c2e5`
