import type { Attacker } from '../attacker/attacker.ts'

/** An attack on a gateway, which runs until its process ends. */
export interface Attack {
  /** What it does, in words of letters and digits with hyphens and colons. */
  readonly name: string
  run(attacker: Attacker): void
}

/** Attacks by name. */
export type AttackTable = Readonly<Record<string, Attack['run']>>
