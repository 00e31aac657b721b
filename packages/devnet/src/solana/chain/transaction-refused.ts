/** A transaction did not get into a slot. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused'
  /** Bytes of the error (bincode). */
  readonly err: Uint8Array
  /** What the programs printed before. */
  readonly logs: readonly string[]
  readonly unitsConsumed: bigint

  /**
   * @param err Bytes of the error (bincode).
   * @param logs What the programs printed before.
   * @param unitsConsumed Compute units that were used before.
   */
  constructor(err: Uint8Array, logs: readonly string[] = [], unitsConsumed = 0n) {
    super(`the transaction does not get into a slot: error ${Buffer.from(err).toString('hex')}`)
    this.err = err
    this.logs = logs
    this.unitsConsumed = unitsConsumed
  }
}
