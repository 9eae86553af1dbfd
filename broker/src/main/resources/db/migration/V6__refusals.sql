-- What platforms refused a short while ago is not tried again at once.
CREATE INDEX claim_refused ON claim (settled_at) WHERE state = 'refused';
