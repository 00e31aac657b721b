/**
 * The state that replicas share in addition to the database: counters of limits and responses of upstreams, in Valkey
 * or Redis. It may be unavailable at any time; callers continue without it.
 */
export interface SharedStore {
  /** Whether the store is available. */
  readonly isUp: boolean
  /**
   * Runs a command.
   *
   * @param command - name and arguments, for example `['INCRBY', 'key', '1']`
   * @throws when there is no response within 100 ms, the store is unavailable, or it rejects the command
   */
  run(command: readonly (string | Buffer)[]): Promise<unknown>
  /** Same as {@link run}, for a response in bytes. */
  bytes(command: readonly (string | Buffer)[]): Promise<Buffer | null>
  /** Runs a script by its hash. The values can only be numbers and strings. */
  script(source: string, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>
  close(): Promise<void>
}
