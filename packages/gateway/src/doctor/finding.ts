/** Result of one check. */
export interface Finding {
  /** What was checked, for example `data directory`. */
  readonly about: string
  readonly state: 'ok' | 'warning' | 'problem'
  /** What the check found; it holds no secret. */
  readonly seen: string
  /** What to do about it. */
  readonly advice?: string | undefined
}

export function ok(about: string, seen: string): Finding {
  return { about, state: 'ok', seen }
}

export function warning(about: string, seen: string, advice: string): Finding {
  return { about, state: 'warning', seen, advice }
}

export function problem(about: string, seen: string, advice: string): Finding {
  return { about, state: 'problem', seen, advice }
}
