// Shows the contract that this very server serves. Calls go to this server too, whatever address the contract names.
const thisServer = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (update) => (spec) => update({ ...spec, servers: [{ url: window.location.origin }] }),
      },
    },
  },
});

window.addEventListener("load", () => {
  SwaggerUIBundle({
    url: "/openapi.yaml",
    dom_id: "#docs",
    deepLinking: true,
    displayRequestDuration: true,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    plugins: [thisServer],
  });
});
