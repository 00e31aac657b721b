import { normalizeStructLogs } from './struct-log.ts'

interface StructLog extends Readonly<Record<string, unknown>> {
  readonly stack?: readonly string[]
  readonly memory?: readonly string[]
}

/** Result of an upstream's struct logger. */
export interface StructLoggerResult {
  /** Gas used. */
  readonly gas: number
  readonly failed: boolean
  readonly returnValue: string
  readonly structLogs: readonly StructLog[]
}

/** Trace in the form of the specification. */
export interface ExecutionTrace {
  readonly structLogs: readonly StructLog[]
  /** Gas provided. */
  readonly gas: number
  readonly returnValue: string
  readonly gasUsed: number
  readonly failed: boolean
}

/** Converts a trace of the struct logger. `gasProvided` is a quantity. */
export function executionTrace(result: StructLoggerResult, gasProvided: string): ExecutionTrace {
  const { structLogs, gas, returnValue, failed } = normalizeStructLogs(result) as StructLoggerResult
  return {
    structLogs: structLogs.map((step) => ({ ...step, stack: step.stack ?? [], memory: step.memory ?? [] })),
    gas: Number(gasProvided),
    returnValue,
    gasUsed: gas,
    failed,
  }
}
