import { RestError } from './rest-error.ts'

/** An operation of a REST API, by method and path. */
export interface Operation {
  readonly operationId: string
  readonly method: string
  /** Path template with `{name}` placeholders. */
  readonly path: string
}

/** A branch of the path tree. */
class Branch<operation> {
  readonly literals = new Map<string, Branch<operation>>()
  readonly byMethod = new Map<string, operation>()
  parameter: Branch<operation> | undefined
}

/** Finds the operations of an API by path. A literal segment takes precedence over a placeholder. */
export class OperationTree<operation extends Operation> {
  readonly #api: string
  readonly #root = new Branch<operation>()

  /**
   * @param api - name of the API in error messages
   * @param operations - when two have the same method and path, the later one counts
   */
  constructor(api: string, operations: Iterable<operation>) {
    this.#api = api
    for (const operation of operations) {
      let branch = this.#root
      for (const segment of segmentsOf(operation.path)) {
        if (segment.startsWith('{')) branch = branch.parameter ??= new Branch()
        else {
          const next = branch.literals.get(segment) ?? new Branch<operation>()
          branch.literals.set(segment, next)
          branch = next
        }
      }
      branch.byMethod.set(operation.method, operation)
    }
  }

  /**
   * Finds the operation for a method and a path.
   *
   * @param method - method of the request; HEAD is treated as GET
   * @param path - path after the credential, without a query; a trailing slash is ignored
   * @returns the operation, and the segments of its placeholders in order, unchanged
   * @throws {@link RestError} 404 for an unknown path, 405 with `Allow` for another method
   */
  find(
    method: string,
    path: string,
  ): { readonly operation: operation; readonly segments: readonly string[] } {
    const { byMethod, segments } = this.#branchOf(path)
    const operation = byMethod.get(method === 'HEAD' ? 'GET' : method)
    if (operation) return { operation, segments }
    const methods = [...byMethod.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name]))
    const allow = [...methods, 'OPTIONS'].join(', ')
    throw new RestError(405, `Use ${methods.join(' or ')} for this path.`, { allow })
  }

  #branchOf(path: string): { byMethod: ReadonlyMap<string, operation>; segments: string[] } {
    const segments: string[] = []
    let branch: Branch<operation> | undefined = this.#root
    for (const segment of segmentsOf(path)) {
      const literal: Branch<operation> | undefined = branch?.literals.get(segment)
      if (!literal) segments.push(segment)
      branch = literal ?? (segment === '' ? undefined : branch?.parameter)
    }
    if (branch && branch.byMethod.size > 0) return { byMethod: branch.byMethod, segments }
    throw new RestError(404, `The ${this.#api} does not have this path.`)
  }
}

function segmentsOf(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/').slice(1)
}
