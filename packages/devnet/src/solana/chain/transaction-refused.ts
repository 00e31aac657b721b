/** A transaction was not included in a slot. */
export class TransactionRefused extends Error {
  override readonly name = 'TransactionRefused'
  /** Bytes of the error (bincode). */
  readonly err: Uint8Array
  /** Log messages of the programs before the rejection. */
  readonly logs: readonly string[]
  readonly unitsConsumed: bigint

  /**
   * @param err Bytes of the error (bincode).
   * @param logs Log messages of the programs before the rejection.
   * @param unitsConsumed Compute units that were used before the rejection.
   */
  constructor(err: Uint8Array, logs: readonly string[] = [], unitsConsumed = 0n) {
    super(`the transaction does not get into a slot: error ${Buffer.from(err).toString('hex')}`)
    this.err = err
    this.logs = logs
    this.unitsConsumed = unitsConsumed
  }
}
