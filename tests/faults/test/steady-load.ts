import { Agent, request } from 'node:http'

/** Calls that continue until they are stopped. */
export interface SteadyLoad {
  /** The number of calls with the expected response. */
  successes(): number
  /** The failures of the others. */
  readonly failures: string[]
  end(): Promise<void>
}

/**
 * Calls repeatedly: half of the clients keep their connections as long as possible, the others open a new one for each
 * call. No call is retried.
 */
export function steadyLoad(url: string, clients = 6): SteadyLoad {
  const failures: string[] = []
  let count = 0
  const ended = new AbortController()
  const client = async (index: number) => {
    const agent = new Agent({ keepAlive: index % 2 === 0, maxSockets: 1 })
    while (!ended.signal.aborted) {
      const problem = await call(url, agent)
      if (problem === undefined) count += 1
      else failures.push(problem)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    agent.destroy()
  }
  const all = Promise.all(Array.from({ length: clients }, (_, at) => client(at)))
  return {
    successes: () => count,
    failures,
    end: async () => {
      ended.abort()
      await all
    },
  }
}

/** Makes one call of a method that the node supports. Returns the failure, if any. */
function call(url: string, agent: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_gasPrice","params":[]}'
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => {
        const isSuccess = response.statusCode === 200 && text.includes('"result"')
        resolve(isSuccess ? undefined : `${response.statusCode} ${text}`)
      })
      response.on('error', (error) => resolve(error.message))
    })
    outgoing.on('error', (error) => resolve(error.message))
    outgoing.end(body)
  })
}
