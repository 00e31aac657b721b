import {
  type AttackedGateway,
  type Deployment,
  startAttackedGateway,
} from '../environment/attacked-gateway.ts'
import type { BystanderReport } from './bystander.ts'
import { type Criteria, violationsOf } from './criteria.ts'
import { type AttackReport, measureAlone, measureAttack } from './measure-attack.ts'

/** How attacks are measured. */
export interface AttackRunOptions {
  readonly deployment: Deployment
  readonly criteria: Criteria
  /** Seconds of each attack. */
  readonly seconds: number
  /** Seconds in which the bystander of a new gateway is measured without an attack. */
  readonly aloneSeconds: number
  /** Whether a gateway that has withstood an attack is attacked again. */
  readonly isReused: boolean
}

/** The effect of an attack, and the criteria that it violates. */
export interface AttackOutcome {
  readonly report: AttackReport
  readonly violations: readonly string[]
  /** What the gateway has logged. */
  readonly output: string
}

interface MeasuredGateway {
  readonly gateway: AttackedGateway
  readonly alone: BystanderReport
}

const warmUpSeconds = 2
// Node.js does not return all freed memory to the system, so the attacks would add up.
const maxReusedMb = 350

/** Runs attacks one after the other, on a new gateway whenever one has not withstood an attack. */
export class AttackRun {
  readonly #options: AttackRunOptions
  #current: MeasuredGateway | undefined
  #startFailure: unknown

  constructor(options: AttackRunOptions) {
    this.#options = options
  }

  async attack(name: string): Promise<AttackOutcome> {
    const { criteria, seconds, isReused } = this.#options
    const { gateway, alone } = await this.#gateway()
    const report = await measureAttack(gateway, name, seconds, alone)
    const violations = violationsOf(report, criteria)
    const output = gateway.output()
    if (violations.length > 0 || !isReused || report.residentMost > maxReusedMb) await this.stop()
    return { report, violations, output }
  }

  async stop(): Promise<void> {
    await this.#current?.gateway.stop()
    this.#current = undefined
  }

  async #gateway(): Promise<MeasuredGateway> {
    // If a gateway does not start, neither does the next one.
    if (this.#startFailure !== undefined) throw this.#startFailure
    if (this.#current) return this.#current
    const { deployment, aloneSeconds } = this.#options
    const gateway = await startAttackedGateway(deployment).catch((error: unknown) => {
      this.#startFailure = error
      throw error
    })
    await measureAlone(gateway, warmUpSeconds)
    this.#current = { gateway, alone: await measureAlone(gateway, aloneSeconds) }
    return this.#current
  }
}
