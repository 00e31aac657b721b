import { createHash } from 'node:crypto'
import type { JettonIndex, Trace } from '../../../chain/jetton-chain.ts'
import type { Action, Classification } from './action.ts'
import { classifyJetton } from './jetton-classification.ts'
import { classifyDeployment, classifyMessage } from './message-classification.ts'
import { stepsOf, type Step } from './step.ts'

// Reading a trace takes long, and its classification never changes.
const classified = new WeakMap<Trace, readonly Action[]>()

/** Whether the actions of a trace are cached. */
export function isClassified(trace: Trace): boolean {
  return classified.has(trace)
}

/**
 * Classifies the transactions of a trace: each belongs to one action, and may additionally deploy a contract. The
 * external message that started a trace is an action only when the trace contains no other action.
 *
 * @returns the actions, ordered by their end
 */
export function classifyTrace(index: JettonIndex, trace: Trace): readonly Action[] {
  const known = classified.get(trace)
  if (known !== undefined) return known
  const steps = stepsOf(trace)
  const found = [...partsOf(index, steps), ...steps.flatMap((step) => classifyDeployment(step) ?? [])]
  const classifications = found.length > 0 ? found : steps.slice(0, 1).map(classifyMessage)
  const actions = classifications
    .map((classification) => actionOf(trace, classification))
    .toSorted((left, right) => Number(left.endLt - right.endLt))
  classified.set(trace, actions)
  return actions
}

function partsOf(index: JettonIndex, steps: readonly Step[]): Classification[] {
  const classifiedSteps = new Set<Step>()
  const parts: Classification[] = []
  for (const step of steps) {
    if (classifiedSteps.has(step)) continue
    const isInternal = step.message.info.type === 'internal'
    const classification = classifyJetton(index, step) ?? (isInternal ? classifyMessage(step) : undefined)
    if (classification === undefined) continue
    // Bounced messages of a failed part belong to it.
    const bounced = classification.steps.flatMap(({ children }) =>
      children.filter(({ isBounced }) => isBounced),
    )
    const all = [...classification.steps, ...bounced]
    for (const classifiedStep of all) classifiedSteps.add(classifiedStep)
    parts.push({ ...classification, steps: all })
  }
  return parts
}

function actionOf(trace: Trace, { steps, parties, ...classification }: Classification): Action {
  const transactions = steps.map(({ transaction }) => transaction)
  const hashes = transactions.map(({ hash }) => hash)
  const times = transactions.map(({ lt }) => lt).toSorted((left, right) => Number(left - right))
  const utimes = transactions.map(({ now }) => now)
  const accounts = [...transactions.map(({ account }) => account), ...parties]
  return {
    ...classification,
    id: createHash('sha256').update(classification.type).update(Buffer.concat(hashes)).digest('base64'),
    trace,
    transactions,
    startLt: times[0] as bigint,
    endLt: times.at(-1) as bigint,
    startUtime: Math.min(...utimes),
    endUtime: Math.max(...utimes),
    accounts: new Set(accounts.filter((account) => account !== undefined)),
  }
}
