import type { Fault, FaultyResponse, OpenItem, ResponseForm } from './response-faults.ts'

/** Determines which calls receive a fault, for all upstreams of a case. No call is affected by two faults. */
export class FaultPlan {
  readonly fault: Fault
  readonly form: ResponseForm
  /** Numbers of the calls that have arrived at an upstream. */
  readonly received = new Set<number>()
  /** How often the fault has occurred. */
  faults = 0
  /** How many calls may fail because of the faults. */
  permittedFailures = 0
  readonly #inFlight = new Set<object>()
  #affected = new Set<object>()
  #positions: readonly number[] = []
  /** Numbers of the calls of which every attempt receives the fault. */
  readonly #persistent = new Set<number | undefined>()
  /** Connections on which surplus bytes precede the next response. */
  readonly #withSurplus = new Set<object>()

  constructor(fault: Fault, form: ResponseForm) {
    this.fault = fault
    this.form = form
  }

  /** @param positions - ascending numbers of calls: the fault occurs at each one, or at the next call where it can */
  start(positions: readonly number[]): void {
    this.#positions = positions
  }

  /** A client has sent a request. */
  begin(request: object): void {
    this.#inFlight.add(request)
  }

  /** A client has received the response to a request. */
  end(request: object): void {
    this.#inFlight.delete(request)
    this.#affected.delete(request)
  }

  /** Returns the call of a request that receives the fault. */
  targetIn(items: readonly OpenItem[]): OpenItem | undefined {
    const persistent = items.find(({ number }) => this.#persistent.has(number))
    if (persistent || this.#affected.size > 0 || this.#withSurplus.size > 0) return persistent
    const [position = Infinity] = this.#positions
    return items.find(({ number = -1 }) => number >= position)
  }

  /** The fault has occurred. */
  onFault({ number }: OpenItem, { permitsFailure = false }: FaultyResponse): void {
    this.onAffected()
    if (this.#persistent.has(number)) return
    this.faults += 1
    if (permitsFailure) this.permittedFailures += 1
    this.#positions = this.#positions.slice(1)
    if (this.fault.isPersistent) this.#persistent.add(number)
  }

  /** A fault may affect every request in flight. */
  onAffected(): void {
    this.#affected = new Set(this.#inFlight)
  }

  /** Surplus bytes precede the next response on a connection. */
  onSurplus(connection: object): void {
    this.#withSurplus.add(connection)
  }

  /** The surplus bytes were sent, or will never be sent because the connection is closed. */
  onSurplusEnd(connection: object): void {
    if (this.#withSurplus.delete(connection)) this.onAffected()
  }
}
