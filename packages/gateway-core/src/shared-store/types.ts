/**
 * What replicas of the service share beside the database: counters of limits and answers of nodes, in Valkey or Redis.
 * It may be away at any time; whoever uses it goes on without.
 */
export interface SharedStore {
  /** Whether commands are worth a try. */
  readonly isUp: boolean
  /**
   * Runs a command.
   *
   * @param command - name and arguments, for example `['INCRBY', 'key', '1']`
   * @throws when there is no answer within 100 ms, the store is away, or it refuses the command
   */
  run(command: readonly (string | Buffer)[]): Promise<unknown>
  /** As {@link run} for an answer in bytes. */
  bytes(command: readonly (string | Buffer)[]): Promise<Buffer | null>
  /** Runs a script by its hash; numbers and texts only. */
  script(source: string, keys: readonly string[], values: readonly (string | number)[]): Promise<unknown>
  close(): Promise<void>
}
