import type { Attacker } from '../attacker/attacker.ts'
import { combinations, nameOf } from '../combinations/combination.ts'
import { runCombination } from '../combinations/run-combination.ts'
import { anonymousAttacks } from './anonymous.ts'
import type { Attack, AttackTable } from './attack.ts'
import { grpcAttacks } from './grpc-calls.ts'
import { http2Attacks } from './http2-frames.ts'
import { organizationAttacks } from './organization.ts'
import { bodyAttacks } from './request-bodies.ts'
import { webSocketAttacks } from './websocket-messages.ts'

/** The attacks of all classes. */
export const namedAttacks: AttackTable = {
  ...anonymousAttacks,
  ...http2Attacks,
  ...webSocketAttacks,
  ...bodyAttacks,
  ...organizationAttacks,
  ...grpcAttacks,
}

/** Attacks that once ended a gateway, took its memory or held up other organizations. */
export const provenAttacks: readonly string[] = [
  'console-files:zero-window',
  'http2:unfinished-public',
  'http2:unfinished-node',
  'http2:rapid-reset-reconnecting',
  'websocket:characters-invalid',
  'websocket:characters-valid',
  'websocket:large-messages',
  'websocket:unfinished-messages',
  'websocket:unread-responses',
  'websocket:unread-notifications',
  'batch:ones-gzip',
  'batch:objects-gzip',
  'body:large-calls',
  'body:open-brackets-gzip',
  'organization:slow-calls-of-60-credentials',
  'organization:bodies-of-60-credentials',
]

const generatedAttacks: AttackTable = Object.fromEntries(
  combinations.map((combination) => [
    nameOf(combination),
    (attacker: Attacker) => runCombination(attacker, combination),
  ]),
)

/** The named attacks, and those that are generated. */
export const allAttacks: AttackTable = { ...namedAttacks, ...generatedAttacks }

/** @throws Error for an unknown name */
export function findAttack(name: string): Attack {
  const run = allAttacks[name]
  if (run === undefined) throw new Error(`There is no attack with the name ${name}.`)
  return { name, run }
}

/**
 * Returns the names that a pattern matches; `*` in it stands for any text.
 *
 * @throws Error for a pattern that matches none
 */
export function namesOf(pattern: string): readonly string[] {
  const expression = new RegExp(`^${pattern.replaceAll('*', '.*')}$`)
  const names = Object.keys(allAttacks).filter((name) => expression.test(name))
  if (names.length === 0) throw new Error(`There is no attack with the name ${pattern}.`)
  return names
}
