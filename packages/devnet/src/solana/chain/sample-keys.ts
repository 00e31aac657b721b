import { deriveSigner, type Signer } from './signer.ts'

/** The keys of the sample data. */
export interface SampleKeys {
  /** Pays the lamports of airdrops. */
  readonly faucet: Signer
  /** Produces all slots and receives their fees. */
  readonly leader: Signer
  /** Pays the generated traffic and owns the token. */
  readonly payer: Signer
  readonly recipient: Signer
  readonly mint: Signer
  readonly payerTokens: Signer
  readonly recipientTokens: Signer
}

/** Derives the keys of the sample data. */
export function sampleKeys(seed: Uint8Array): SampleKeys {
  return {
    faucet: deriveSigner(seed, 'faucet'),
    leader: deriveSigner(seed, 'leader'),
    payer: deriveSigner(seed, 'payer'),
    recipient: deriveSigner(seed, 'recipient'),
    mint: deriveSigner(seed, 'mint'),
    payerTokens: deriveSigner(seed, 'payer tokens'),
    recipientTokens: deriveSigner(seed, 'recipient tokens'),
  }
}
