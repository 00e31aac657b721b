import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { allowedDifferences } from './allowed-differences.ts'
import type { Response } from './rpc-client.ts'
import type { Case } from './geth-cases.ts'

/** The outcomes of the cases of one method. */
interface Row {
  cases: number
  equal: number
  explained: number
}

const results = resolve(import.meta.dirname, '../.results')

/** Compares the responses of go-ethereum and of the gateway to the same cases. */
export class Comparison {
  readonly #name: string
  readonly #rows = new Map<string, Row>()
  /** Differences that no specification permits. */
  readonly different: string[] = []

  constructor(name: string) {
    this.#name = name
  }

  add(call: Case, direct: Response, viaGateway: Response, name = JSON.stringify(call.params)): void {
    const row = this.#rows.get(call.method) ?? { cases: 0, equal: 0, explained: 0 }
    this.#rows.set(call.method, row)
    const [expected, received] = [formOf(direct), formOf(viaGateway)]
    row.cases += 1
    if (expected === received) row.equal += 1
    else if (isAllowed(call, direct, viaGateway)) row.explained += 1
    else this.different.push(`${call.method} ${name}: ${expected} | ${received}`)
  }

  /** Prints the totals and the methods with permitted differences, and writes all rows to `.results`. */
  async report(): Promise<void> {
    const rows = [...this.#rows].toSorted(([left], [right]) => (left < right ? -1 : 1))
    const sum = (name: keyof Row) => rows.reduce((total, [, row]) => total + row[name], 0)
    const explained = rows.filter(([, row]) => row.explained > 0)
    process.stdout.write(
      `${this.#name}: ${sum('cases')} cases, ${sum('equal')} equal, ${sum('explained')} explained\n` +
        tableOf(explained),
    )
    await mkdir(results, { recursive: true })
    await writeFile(join(results, `${this.#name}.json`), JSON.stringify(Object.fromEntries(rows), null, 2))
    await writeFile(join(results, `${this.#name}.md`), tableOf(rows))
  }
}

/** Formats a Markdown table. */
function tableOf(rows: readonly (readonly [method: string, row: Row])[]): string {
  const lines = rows.map(
    ([method, { cases, equal, explained }]) => `| ${method} | ${cases} | ${equal} | ${explained} |\n`,
  )
  return `| Method | Cases | Equal | Explained |\n| --- | --: | --: | --: |\n${lines.join('')}`
}

/**
 * The part of a response on which programs rely: JSON-RPC 2.0, section 5.1, leaves the message of an error to the
 * server.
 */
function formOf({ result, error }: Response): string {
  return JSON.stringify(error === undefined ? { result } : { code: error.code, data: error.data })
}

function isAllowed(call: Case, direct: Response, viaGateway: Response): boolean {
  return allowedDifferences.some(
    ({ methods, allows }) =>
      (methods === undefined || methods.includes(call.method)) && allows(call, direct, viaGateway),
  )
}
