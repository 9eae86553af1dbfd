/**
 * Runs a command on leased GPUs. See docs/ci-jenkins.md.
 *
 *     gpuBrokerLease(url: 'https://gpu.example.com', credentialsId: 'gpu-broker', gpus: 8, model: 'A100', run: 'python train.py')
 *
 * The shell script is resources/gpu-broker.sh; what it is told stands in variables, one for each of VARIABLES that is given.
 */
@groovy.transform.Field
final Map VARIABLES = [
    url: 'GPU_BROKER_URL',
    gpus: 'GPU_LEASE_GPUS',
    model: 'GPU_LEASE_MODEL',
    pool: 'GPU_LEASE_POOL',
    reservation: 'GPU_LEASE_RESERVATION',
    run: 'GPU_LEASE_RUN',
    maxWait: 'GPU_LEASE_MAX_WAIT',
    maxDuration: 'GPU_LEASE_MAX_DURATION',
    artifacts: 'GPU_LEASE_ARTIFACTS',
    artifactsTo: 'GPU_LEASE_ARTIFACTS_TO',
    exclude: 'GPU_LEASE_EXCLUDE',
    env: 'GPU_LEASE_ENV',
    outputs: 'GPU_LEASE_OUTPUTS'
]

/**
 * @param wish VARIABLES by name, lists for what can be repeated; credentialsId (secret text: a token of the broker) or
 *     oidcCredentialsId (of the plugin OpenID Connect Provider: an id token); sshCredentialsId; checkOnly; returnStatus
 * @return the exit code with returnStatus: true, else null
 */
def call(Map wish) {
    List variables = ["GPU_LEASE_TITLE=${env.JOB_NAME} ${env.BUILD_NUMBER}"]
    VARIABLES.each { name, variable ->
        if (wish[name] != null) {
            variables << "${variable}=${wish[name] instanceof List ? wish[name].join('\n') : wish[name]}"
        }
    }
    if (wish.checkOnly) {
        variables << 'GPU_BROKER_COMMAND=doctor --ci'
    }
    List secrets = []
    if (wish.credentialsId) { // Else GPU_BROKER_TOKEN comes from somewhere around this step.
        secrets << string(credentialsId: wish.credentialsId, variable: 'GPU_BROKER_TOKEN')
    }
    if (wish.oidcCredentialsId) { // Each time it is bound Jenkins signs a fresh token, for this build only.
        secrets << string(credentialsId: wish.oidcCredentialsId, variable: 'GPU_BROKER_OIDC_TOKEN')
    }
    if (wish.sshCredentialsId) {
        secrets << sshUserPrivateKey(credentialsId: wish.sshCredentialsId, keyFileVariable: 'GPU_LEASE_IDENTITY')
    }
    withCredentials(secrets) {
        withEnv(variables) {
            return sh(
                label: wish.checkOnly ? 'gpu-broker doctor' : 'gpu-broker lease',
                script: libraryResource('gpu-broker.sh'),
                returnStatus: wish.returnStatus ?: false
            )
        }
    }
}
