#!/bin/sh
# Runs once, when the volume of the database is empty. The servers' role is not a superuser. Its password is passed in the
# environment, since other users can read arguments.
set -eu
psql --quiet --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres <<'SQL'
\getenv password DATABASE_PASSWORD
create role quintet login password :'password';
create database quintet owner quintet encoding 'UTF8' template template0;
SQL
