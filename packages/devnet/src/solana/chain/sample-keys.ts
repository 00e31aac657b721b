import { deriveSigner, type Signer } from './signer.ts'

/** The keys of the sample data. */
export interface SampleKeys {
  /** Gives lamports to whoever asks. */
  readonly faucet: Signer
  /** Makes all slots and gets their fees. */
  readonly leader: Signer
  /** Pays the steady traffic and owns the token. */
  readonly payer: Signer
  readonly recipient: Signer
  readonly mint: Signer
  readonly payerTokens: Signer
  readonly recipientTokens: Signer
}

/** Makes the keys of the sample data. */
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
