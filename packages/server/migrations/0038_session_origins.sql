-- From where a session was begun, as its person is shown it: the kind of network and the browser, never the address.
alter table sessions add column address_class text, add column browser text;
