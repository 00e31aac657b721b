import { Agent } from 'node:http'
import { waitFor } from '@fairlead/vitest/wait-for'
import { type GatewayFixture, gatewayFixture } from '../gateway-fixture.ts'
import { CaseReport } from './case-report.ts'
import { type Client, httpClient, type Outcome, webSocketClient } from './clients.ts'
import type { GeneratedCase } from './generated-case.ts'
import { FaultPlan } from './fault-plan.ts'
import { mismatchingUpstream } from './mismatching-upstream.ts'
import { numberedCall } from './numbered-calls.ts'
import { type TwoOrganizations, twoOrganizations } from './two-organizations.ts'

/** Number of the first call of a case. The runner uses the smaller ones. */
export const firstNumber = 2

/** A gateway with two organizations, whose nodes have the upstreams of one case after the other. */
export class CaseRunner {
  readonly #gateway: GatewayFixture
  readonly #organizations: TwoOrganizations
  readonly #agent = new Agent({ keepAlive: true })

  private constructor(gateway: GatewayFixture, organizations: TwoOrganizations) {
    this.#gateway = gateway
    this.#organizations = organizations
  }

  static async start(upstreamTimeoutMs: number): Promise<CaseRunner> {
    const unused = 'http://127.0.0.1:1'
    const options = {
      FAIRLEAD_UPSTREAM_TIMEOUT_MS: String(upstreamTimeoutMs),
      // Health checks of earlier cases would only fail.
      FAIRLEAD_HEAD_POLL_MS: '600000',
      FAIRLEAD_LOG_REQUESTS: 'none',
      FAIRLEAD_MAX_UNKNOWN_CREDENTIALS: '1000000',
    }
    const gateway = await gatewayFixture(options, unused)
    return new CaseRunner(gateway, await twoOrganizations(gateway.store, unused))
  }

  async stop(): Promise<void> {
    this.#agent.destroy()
    await this.#gateway.stop()
  }

  /** @param onWrong - receives each foreign result, and each failure of a call that has to succeed */
  async run(generated: GeneratedCase, onWrong: (outcome: Outcome) => void): Promise<CaseReport> {
    const { fault, form, positions, upstreams, acceptsBatches } = generated
    const plan = new FaultPlan(fault, form)
    const all = await Promise.all(Array.from({ length: upstreams }, () => mismatchingUpstream(plan)))
    const settings = acceptsBatches ? '#batch=100' : ''
    await this.#organizations.setUpstreams(all.map(({ url }) => `${url.href}${settings}`).join(' '))
    await this.#untilInUse(plan)
    plan.start(positions)
    const before = await this.#mismatches()
    const clients = await this.#clients(generated)
    const report = await sendAll(generated, plan, clients, onWrong)
    for (const client of clients) client.close()
    for (const upstream of all) upstream.stop()
    report.faults = plan.faults
    report.mismatches = (await this.#mismatches()) - before
    permit(report, plan.permittedFailures)
    return report
  }

  /** Waits until both nodes use the upstreams of a plan. */
  async #untilInUse({ received }: FaultPlan): Promise<void> {
    const clients = await this.#clients({ transport: 'HTTP' })
    for (const [number, client] of clients.entries()) {
      await waitFor(async () => {
        await client.send([{ ...numberedCall(() => 0, number, 1), id: '1' }])
        return received.has(number)
      })
    }
  }

  #clients({ transport }: Pick<GeneratedCase, 'transport'>): Promise<readonly Client[]> {
    const { url } = this.#gateway
    return Promise.all(
      this.#organizations.tokens.map(async (token) =>
        transport === 'HTTP'
          ? httpClient(`${url}/${token}`, this.#agent)
          : webSocketClient(`${url.replace('http', 'ws')}/ws/${token}`),
      ),
    )
  }

  async #mismatches(): Promise<number> {
    const metric = this.#gateway.registry.getSingleMetric('fairlead_upstream_mismatched_responses_total')
    const { values = [] } = (await metric?.get()) ?? {}
    return values.reduce((sum, { value }) => sum + value, 0)
  }
}

/** Sends the requests of a case, as many at a time as its depth. The organizations take turns. */
async function sendAll(
  { requests, depth, fault: { mayFail }, form: { isLong, isIdLast } }: GeneratedCase,
  plan: FaultPlan,
  clients: readonly Client[],
  onWrong: (outcome: Outcome) => void,
): Promise<CaseReport> {
  const report = new CaseReport()
  report.cases = 1
  const mayAllFail = mayFail === 'all' || (isLong && (mayFail === 'long' || isIdLast))
  const count = (outcome: Outcome) => {
    const { kind, call } = outcome
    const isPermitted = kind === 'failed' && (mayAllFail || !call.isRepeatable)
    report.calls += 1
    if (kind === 'foreign') report.foreign += 1
    else if (isPermitted) report.permitted += 1
    else if (kind === 'failed') report.failures += 1
    if (kind !== 'own' && !isPermitted) onWrong(outcome)
  }
  const entries = requests.entries()
  const sendNext = async (): Promise<void> => {
    for (const [at, calls] of entries) {
      const client = clients[at % clients.length] as Client
      plan.begin(calls)
      const outcomes = await client.send(calls)
      plan.end(calls)
      for (const outcome of outcomes) count(outcome)
    }
  }
  await Promise.all(Array.from({ length: depth }, sendNext))
  return report
}

function permit(report: CaseReport, max: number): void {
  const permitted = Math.min(report.failures, max)
  report.failures -= permitted
  report.permitted += permitted
}
